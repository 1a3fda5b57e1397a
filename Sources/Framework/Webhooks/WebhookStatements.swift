import SwiftletPostgres

/// Every statement of the server on the tables of webhooks. Times are the database's alone.
enum WebhookStatements {
    /// A row for each endpoint that wants this event.
    static func queue(_ event: String, tenant: String?, _ body: String) -> SQL {
        """
        WITH message AS MATERIALIZED (SELECT gen_random_uuid() AS id)
        SELECT swiftlet.queue_webhook(webhooks.id, paused_at IS NOT NULL, \(event), message.id, \(body))
        FROM swiftlet.webhooks CROSS JOIN message
        WHERE events && ARRAY[\(event), '*'] AND (tenant IS NULL OR tenant = \(tenant))
        ORDER BY webhooks.id
        """
    }

    /// No row if the delivery has ended, or another job has it. Before `swiftlet migrate up` there is no former secret.
    static func load(_ queued: QueuedDelivery) -> SQL {
        """
        SELECT d.attempts, d.message, d.body, w.id AS webhook, w.url, w.secret, w.failures,
            CASE WHEN (to_jsonb(w) ->> 'former_secret_expires_at')::timestamptz > clock_timestamp()
                THEN to_jsonb(w) ->> 'former_secret' END AS former_secret,
            w.paused_at IS NOT NULL AS is_paused,
            coalesce(ceil(1000 * extract(epoch FROM w.retry_at - clock_timestamp())), 0)::bigint AS wait
        FROM swiftlet.webhook_deliveries AS d JOIN swiftlet.webhooks AS w ON w.id = d.webhook
        WHERE d.id = \(queued.delivery) AND d.turn = \(queued.turn) AND d.state = 'waiting'
        """
    }

    static func hold(_ queued: QueuedDelivery) -> SQL {
        """
        UPDATE swiftlet.webhook_deliveries SET state = 'held', turn = turn + 1
        WHERE id = \(queued.delivery) AND turn = \(queued.turn) AND state = 'waiting'
        """
    }

    /// A row for the one delivery that may try whether the endpoint works again.
    static func probe(_ webhook: Int, for seconds: Int) -> SQL {
        """
        UPDATE swiftlet.webhooks SET retry_at = clock_timestamp() + \(seconds) * interval '1 second'
        WHERE id = \(webhook) AND (retry_at IS NULL OR retry_at <= clock_timestamp()) RETURNING id
        """
    }

    /// No row if the delivery has been replayed meanwhile.
    static func record(_ queued: QueuedDelivery, _ state: String, _ attempt: DeliveryAttempt) -> SQL {
        """
        UPDATE swiftlet.webhook_deliveries
        SET state = \(state), turn = turn + 1, attempts = attempts + 1, attempted_at = clock_timestamp(),
            finished_at = CASE WHEN \(state) <> 'waiting' THEN clock_timestamp() END, status = \(attempt.status),
            answer = \(attempt.answer), error = \(attempt.error), milliseconds = \(attempt.milliseconds)
        WHERE id = \(queued.delivery) AND turn = \(queued.turn) AND state = 'waiting' RETURNING id
        """
    }

    /// Changes nothing where all is well, so that deliveries do not wait for each other.
    static func noteSuccess(_ webhook: Int) -> SQL {
        """
        UPDATE swiftlet.webhooks SET failures = 0, failing_since = NULL, retry_at = NULL
        WHERE id = \(webhook) AND failing_since IS NOT NULL
        """
    }

    /// A row unless the endpoint is paused already: whether it is by this.
    ///
    /// The row's own count decides how long it rests, as deliveries that fail at once have all read the same. Those that
    /// were under way as a rest began do not make it longer: then only a probe counts.
    static func noteFailure(
        _ webhook: Int,
        pausesAfter seconds: Double,
        isProbe: Bool,
        isGone: Bool
    ) -> SQL {
        let patience = DeliverySchedule.patience
        let rests = DeliverySchedule.rests
        return """
            UPDATE swiftlet.webhooks
            SET failures = least(failures, 1000000) + CASE WHEN \(isProbe) OR failures < \(patience) THEN 1 ELSE 0 END,
                failing_since = coalesce(failing_since, clock_timestamp()),
                retry_at = CASE WHEN \(isProbe) OR failures < \(patience) THEN clock_timestamp() + interval '1 second'
                    * (\(rests)::bigint[])[least(failures + 2 - \(patience), \(rests.count))] ELSE retry_at END,
                paused_at = CASE WHEN \(isGone) OR failing_since < clock_timestamp() - \(seconds) * interval '1 second'
                    THEN clock_timestamp() END,
                pause_reason = CASE WHEN \(isGone) THEN 'it answers that it is gone (410)'
                    WHEN failing_since < clock_timestamp() - \(seconds) * interval '1 second'
                    THEN 'it fails since ' || to_char(failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') END
            WHERE id = \(webhook) AND paused_at IS NULL
            RETURNING paused_at IS NOT NULL AS is_paused
            """
    }

    /// Forgets old deliveries, and those of endpoints that are gone; how many.
    static func purge(olderThan seconds: Double, rows: Int) -> SQL {
        """
        WITH gone AS (
            DELETE FROM swiftlet.webhook_deliveries WHERE ctid = ANY (ARRAY (
                SELECT ctid FROM swiftlet.webhook_deliveries
                WHERE created_at < clock_timestamp() - \(seconds) * interval '1 second'
                ORDER BY created_at LIMIT \(rows) FOR UPDATE SKIP LOCKED
            ))
            RETURNING 1
        )
        SELECT count(*)::integer AS count FROM gone
        """
    }
}
