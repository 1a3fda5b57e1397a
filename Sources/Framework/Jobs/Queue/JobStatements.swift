import SwiftletPostgres

/// Every statement on the queue's tables. Times are the database's alone.
enum JobStatements {
    static func enqueue(
        _ name: String,
        _ payload: String,
        _ caller: JobCaller,
        requestID: String?,
        at time: JobTime,
        key: String?,
        priority: JobPriority,
        replacing: Bool
    ) -> SQL {
        var sql: SQL = """
            INSERT INTO swiftlet.jobs
                (name, priority, due, key, scope, tenant, caller, caller_level, caller_is_external, request_id, payload)
            VALUES (
                \(name), \(priority.rawValue), \(time.due), \(key), \(caller.scope), \(caller.tenant),
                \(caller.claims), \(caller.roleLevel), \(caller.isExternal), \(requestID), \(payload)
            )
            """
        if key != nil {
            sql.append(" ON CONFLICT (name, scope, key) WHERE key IS NOT NULL AND worker IS NULL DO ")
            sql.append(
                replacing
                    ? """
                    UPDATE SET due = excluded.due, priority = excluded.priority, payload = excluded.payload,
                        tenant = excluded.tenant, caller = excluded.caller, caller_level = excluded.caller_level,
                        caller_is_external = excluded.caller_is_external, request_id = excluded.request_id,
                        attempts = 0, enqueued_at = clock_timestamp()
                    """ : "NOTHING"
            )
        }
        sql.append(" RETURNING id")
        return sql
    }

    static func cancel(_ name: String, scope: String, key: String) -> SQL {
        """
        WITH ended AS (
            DELETE FROM swiftlet.jobs
            WHERE name = \(name) AND scope = \(scope) AND key = \(key) AND worker IS NULL
            RETURNING *
        )
        INSERT INTO swiftlet.job_history (
            id, name, state, priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id, last_error
        )
        SELECT id, name, 'cancelled', priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id,
            last_error
        FROM ended
        RETURNING id
        """
    }

    /// $1 worker, $2 how many, $3 names, $4 seconds of the lease, $5 to $7 the times before which nothing is looked for, of
    /// the high, normal and low priority, see ``ClaimCursor``.
    ///
    /// One row for each job, or one without if there is none. The lease is renewed when a quarter of it is over, not each
    /// time: beside somebody's old snapshot, every change of a row leaves a version that all later statements read. The
    /// clock is read once: an index condition must not be
    /// volatile. Each priority is looked up by itself, so that jobs that are not due are never walked through.
    static let claim = Statement(
        """
        WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now),
        picked AS MATERIALIZED (
            SELECT found.id
            FROM (
                VALUES (2::smallint, $5::timestamptz), (1::smallint, $6::timestamptz), (0::smallint, $7::timestamptz)
            ) AS class (priority, floor)
            CROSS JOIN LATERAL (
                SELECT id FROM swiftlet.jobs
                WHERE worker IS NULL AND priority = class.priority AND due >= class.floor
                    AND due <= (SELECT now FROM clock)
                    AND name = ANY ($3::text[])
                ORDER BY due LIMIT $2 FOR UPDATE SKIP LOCKED
            ) AS found
            LIMIT $2
        ),
        claimed AS (
            UPDATE swiftlet.jobs
            SET worker = $1, fence = fence + 1, attempts = attempts + 1, started_at = (SELECT now FROM clock)
            WHERE id = ANY (ARRAY (SELECT id FROM picked))
            RETURNING id, fence, attempts, name, payload, tenant, caller, caller_level, caller_is_external, request_id,
                priority, due
        ),
        alive AS (
            INSERT INTO swiftlet.job_workers (id, alive_until)
            SELECT $1, now + $4::double precision * interval '1 second' FROM clock
            WHERE EXISTS (SELECT FROM claimed) AND NOT EXISTS (
                SELECT FROM swiftlet.job_workers
                WHERE id = $1 AND alive_until > now + 0.75 * $4::double precision * interval '1 second'
            )
            ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
            RETURNING id
        )
        SELECT
            extract(epoch FROM clock.now) AS clock,
            ceil(1000 * extract(epoch FROM (
                SELECT min(found.due) FROM (VALUES (2::smallint), (1::smallint), (0::smallint)) AS class (priority)
                CROSS JOIN LATERAL (
                    SELECT due FROM swiftlet.jobs
                    WHERE worker IS NULL AND priority = class.priority AND due > (SELECT now FROM clock)
                        AND name = ANY ($3::text[])
                    ORDER BY due LIMIT 1
                ) AS found
            ) - clock.now)) AS next_due,
            ceil(1000 * extract(epoch FROM
                (SELECT min(alive_until) FROM swiftlet.job_workers WHERE id <> $1) - clock.now)) AS next_death,
            claimed.id, claimed.fence, claimed.attempts, claimed.name, claimed.payload, claimed.tenant, claimed.caller,
            claimed.caller_level, claimed.caller_is_external, claimed.request_id,
            round(1000 * extract(epoch FROM clock.now - claimed.due)) AS late, claimed.priority, claimed.due,
            EXISTS (SELECT FROM alive), now - interval '2 seconds'
        FROM clock LEFT JOIN claimed ON true
        ORDER BY claimed.priority DESC, claimed.due
        """,
        isReadOnly: false
    )

    /// $1 worker, $2 seconds of the lease. No row is changed if the lease has ended.
    static let beat = Statement(
        """
        UPDATE swiftlet.job_workers SET alive_until = clock_timestamp() + $2::double precision * interval '1 second'
        WHERE id = $1 AND alive_until > clock_timestamp()
        """,
        isReadOnly: false
    )

    /// Returns the jobs of the servers whose lease has ended.
    static let rescue = Statement(
        """
        WITH dead AS (
            DELETE FROM swiftlet.job_workers WHERE alive_until <= clock_timestamp() RETURNING id
        )
        UPDATE swiftlet.jobs SET worker = NULL, last_error = 'its server died'\(keyOnReturn)
        WHERE worker = ANY (ARRAY (SELECT id FROM dead))
        """,
        isReadOnly: false
    )

    /// Returns jobs whose server is not even known.
    static let rescueAbandoned = Statement(
        """
        UPDATE swiftlet.jobs SET worker = NULL, last_error = 'its server died'\(keyOnReturn)
        WHERE worker IS NOT NULL AND NOT EXISTS (SELECT FROM swiftlet.job_workers WHERE id = swiftlet.jobs.worker)
        """,
        isReadOnly: false
    )

    /// $1 ids, $2 fences.
    static let complete = Statement(
        """
        WITH ended AS (
            DELETE FROM swiftlet.jobs USING unnest($1::bigint[], $2::integer[]) AS done (id, fence)
            WHERE swiftlet.jobs.id = done.id AND swiftlet.jobs.fence = done.fence AND swiftlet.jobs.worker IS NOT NULL
            RETURNING swiftlet.jobs.*
        )
        INSERT INTO swiftlet.job_history (
            id, name, state, priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id, last_error
        )
        SELECT id, name, 'done', priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id,
            last_error
        FROM ended
        """,
        isReadOnly: false
    )

    /// $1 id, $2 fence. Locks the job against those who would take it over.
    static func hold(_ claim: JobClaim) -> SQL {
        """
        SELECT id FROM swiftlet.jobs
        WHERE id = \(claim.id) AND fence = \(claim.fence) AND worker IS NOT NULL FOR SHARE
        """
    }

    /// The same as ``complete`` for one job, in its own transaction.
    static func completeInTransaction(_ claim: JobClaim) -> SQL {
        """
        WITH ended AS (
            DELETE FROM swiftlet.jobs
            WHERE id = \(claim.id) AND fence = \(claim.fence) AND worker IS NOT NULL
            RETURNING *
        )
        INSERT INTO swiftlet.job_history (
            id, name, state, priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id, last_error
        )
        SELECT id, name, 'done', priority, due, attempts, enqueued_at, started_at, key, scope, tenant, request_id,
            last_error
        FROM ended
        RETURNING id
        """
    }

    /// $1 id, $2 fence, $3 seconds until the next attempt, $4 error.
    static let retry = Statement(
        """
        UPDATE swiftlet.jobs SET worker = NULL, last_error = $4,
            due = clock_timestamp() + $3::double precision * interval '1 second'\(keyOnReturn)
        WHERE id = $1 AND fence = $2 AND worker IS NOT NULL
        """,
        isReadOnly: false
    )

    /// $1 id, $2 fence, $3 error.
    static let fail = Statement(
        """
        WITH ended AS (
            DELETE FROM swiftlet.jobs WHERE id = $1 AND fence = $2 AND worker IS NOT NULL RETURNING *
        )
        INSERT INTO swiftlet.job_history (
            id, name, state, priority, due, attempts, enqueued_at, started_at, key, scope, tenant, caller, caller_level,
            caller_is_external, request_id, last_error, payload
        )
        SELECT id, name, 'failed', priority, due, attempts, enqueued_at, started_at, key, scope, tenant, caller,
            caller_level, caller_is_external, request_id, $3, payload
        FROM ended
        """,
        isReadOnly: false
    )

    /// $1 ids, $2 fences. The attempt does not count.
    static let release = Statement(
        """
        UPDATE swiftlet.jobs SET worker = NULL, attempts = greatest(attempts - 1, 0)\(keyOnReturn)
        FROM unnest($1::bigint[], $2::integer[]) AS held (id, fence)
        WHERE swiftlet.jobs.id = held.id AND swiftlet.jobs.fence = held.fence AND swiftlet.jobs.worker IS NOT NULL
        """,
        isReadOnly: false
    )

    /// $1 worker, $2 ids of the jobs that it knows to hold. What else it holds was claimed by a statement whose answer was
    /// lost; the attempt does not count.
    static let releaseUnknown = Statement(
        """
        UPDATE swiftlet.jobs SET worker = NULL, attempts = greatest(attempts - 1, 0)\(keyOnReturn)
        WHERE worker = $1 AND id <> ALL ($2::bigint[])
        """,
        isReadOnly: false
    )

    /// $1 worker.
    static let leave = Statement("DELETE FROM swiftlet.job_workers WHERE id = $1", isReadOnly: false)

    /// A job that waits again gives its key up if another one has taken it meanwhile.
    private static let keyOnReturn = """
        , key = CASE WHEN key IS NOT NULL AND EXISTS (
                SELECT FROM swiftlet.jobs AS other WHERE other.name = swiftlet.jobs.name AND other.scope = swiftlet.jobs.scope
                    AND other.key = swiftlet.jobs.key AND (other.worker IS NULL OR other.id > swiftlet.jobs.id)
            ) THEN NULL ELSE key END
        """

    static let clock = Statement("SELECT extract(epoch FROM clock_timestamp())", isReadOnly: true)

    /// $1 name, $2 recurrence, $3 the next tick in seconds since 1970, $4 the one before.
    ///
    /// Does nothing if the next tick was enqueued already, or if an earlier one is due and waits: it is enqueued when
    /// that has been claimed. If the one before was never enqueued, it takes the place of the next.
    static let tick = Statement(
        """
        WITH ticked AS (
            INSERT INTO swiftlet.job_ticks AS last (name, recurrence, tick)
            SELECT $1, $2, CASE WHEN EXISTS (
                SELECT FROM swiftlet.job_ticks AS known
                WHERE known.name = $1 AND known.recurrence = $2 AND known.tick < to_timestamp($4::double precision)
            ) THEN to_timestamp($4::double precision) ELSE to_timestamp($3::double precision) END
            WHERE NOT EXISTS (
                SELECT FROM swiftlet.jobs AS waiting JOIN swiftlet.job_ticks AS known ON known.name = waiting.name
                WHERE waiting.name = $1 AND waiting.scope = '' AND waiting.key = 'tick' AND waiting.worker IS NULL
                    AND waiting.due <= clock_timestamp() AND known.recurrence = $2
            )
            ON CONFLICT (name) DO UPDATE SET tick = excluded.tick, recurrence = excluded.recurrence
                WHERE last.tick < excluded.tick OR last.recurrence <> excluded.recurrence
            RETURNING name, tick
        )
        INSERT INTO swiftlet.jobs (name, due, key) SELECT name, tick, 'tick' FROM ticked
        ON CONFLICT (name, scope, key) WHERE key IS NOT NULL AND worker IS NULL DO UPDATE SET due = excluded.due
        """,
        isReadOnly: false
    )

    /// $1 state, $2 seconds to keep, $3 how many.
    static let prune = Statement(
        """
        DELETE FROM swiftlet.job_history WHERE id = ANY (ARRAY (
            SELECT id FROM swiftlet.job_history
            WHERE state = $1 AND finished_at < (SELECT clock_timestamp()) - $2::double precision * interval '1 second'
            ORDER BY finished_at LIMIT $3
        ))
        """,
        isReadOnly: false
    )

    /// $1 names. Others that have been due for a minute: some server would have taken them.
    static let unknownJobs = Statement(
        """
        SELECT name, count(*) FROM swiftlet.jobs
        WHERE worker IS NULL AND due < clock_timestamp() - interval '1 minute' AND name <> ALL ($1::text[])
        GROUP BY name ORDER BY name LIMIT 20
        """,
        isReadOnly: true
    )

    static let census = Statement(
        """
        SELECT name, count(*) FILTER (WHERE worker IS NULL), count(*) FILTER (WHERE worker IS NOT NULL),
            coalesce(round(extract(epoch FROM clock_timestamp() - min(due) FILTER (
                WHERE worker IS NULL AND due <= clock_timestamp()))::numeric, 3), 0)
        FROM swiftlet.jobs GROUP BY name ORDER BY name
        """,
        isReadOnly: false
    )
}
