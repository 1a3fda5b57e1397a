import SwiftletJobs
package import SwiftletOutbound
import SwiftletPostgres
package import SwiftletWeb

/// Delivers messages to endpoints, each by a job of its own.
///
/// An endpoint that fails again and again is left alone for a while, and one that fails for days is paused: it takes the
/// time of other jobs otherwise.
package struct WebhookSender: Sendable {
    private let post: WebhookPost
    private let settings: WebhookSettings
    private let turns = EndpointTurns()

    package static let jobName = "swiftlet-webhook"
    package static let purgeName = "swiftlet-webhook-purge"
    /// Of one statement, so that none holds many locks.
    private static let purgedRows = 5_000

    package init(_ http: HTTPEngine, _ settings: WebhookSettings, clock: ServerClock = .system) {
        post = WebhookPost(http: http, timeout: settings.timeout, clock: clock)
        self.settings = settings
    }

    /// What a worker has to know.
    package var function: Function {
        Function("webhooks") {
            job
            Every(.seconds(600), "swiftlet-webhook-purge") { context in try await purge(context) }
                .acrossTenants()
                .limited(to: .seconds(240))
        }
    }

    /// One attempt. Failed ones are enqueued anew, so the job itself fails only if the database does.
    private var job: Job<QueuedDelivery> {
        Job("swiftlet-webhook") { (queued: QueuedDelivery, context) in try await self.deliver(queued, context) }
            .acrossTenants()
            .limited(to: settings.timeout + .seconds(30))
            .attempting(20)
    }

    private func deliver(_ queued: QueuedDelivery, _ context: Context) async throws {
        guard let row = try await context.query(WebhookStatements.load(queued)).first else { return }
        let delivery = try Delivery(row)
        switch delivery.admission {
        case .hold: _ = try await context.query(WebhookStatements.hold(queued))
        case .postpone(let milliseconds): try await postpone(queued, milliseconds, context)
        case .probe:
            let seconds = Int(settings.timeout.components.seconds) + 15
            if try await context.query(WebhookStatements.probe(delivery.webhook, for: seconds)).isEmpty {
                try await postpone(queued, seconds * 1000, context)
            } else {
                try await attempt(delivery, queued, context)
            }
        case .send: try await attempt(delivery, queued, context)
        }
    }

    /// Not all at once.
    private func postpone(_ queued: QueuedDelivery, _ milliseconds: Int, _ context: Context) async throws {
        let pause = milliseconds + Int.random(in: 0..<30_000)
        try await context.enqueue(job, queued, at: .after(.milliseconds(pause)), priority: .low)
    }

    private func attempt(_ delivery: Delivery, _ queued: QueuedDelivery, _ context: Context) async throws {
        if let pause = turns.begin(delivery.webhook) {
            try await context.enqueue(job, queued, at: .after(pause), priority: .low)
            return
        }
        var milliseconds = 0
        defer { turns.end(delivery.webhook, after: milliseconds) }
        let result = try await post.send(delivery)
        milliseconds = result.milliseconds
        try await context.transaction { context in
            try await record(result, of: delivery, queued, context)
        }
    }

    private func record(
        _ result: DeliveryAttempt,
        of delivery: Delivery,
        _ queued: QueuedDelivery,
        _ context: Context
    ) async throws {
        let pause =
            result.isSuccess
            ? nil
            : DeliverySchedule.pause(afterAttempt: delivery.attempts + 1, result, jitter: .random(in: 0...1))
        let state = result.isSuccess ? "delivered" : pause == nil ? "failed" : "waiting"
        guard try await !context.query(WebhookStatements.record(queued, state, result)).isEmpty else { return }
        guard !result.isSuccess else {
            _ = try await context.query(WebhookStatements.noteSuccess(delivery.webhook))
            return
        }
        let noted = try await context.query(
            WebhookStatements.noteFailure(
                delivery.webhook,
                pausesAfter: settings.pausesAfter / .seconds(1),
                isProbe: delivery.admission == .probe,
                isGone: result.isGone
            )
        )
        if try noted.first?.decode(Bool.self, "is_paused") == true {
            context.logger.error(
                "a webhook is paused, see swiftlet webhooks list",
                metadata: ["webhook": "\(delivery.webhook)"]
            )
        }
        guard let pause else { return }
        let next = QueuedDelivery(delivery: queued.delivery, turn: queued.turn + 1)
        try await context.enqueue(job, next, at: .after(pause), priority: .low)
    }

    private func purge(_ context: Context) async throws {
        while true {
            let sql = WebhookStatements.purge(olderThan: settings.retention / .seconds(1), rows: Self.purgedRows)
            do throws(PostgresError) {
                let count = try await context.query(sql).first?.decode(Int.self, "count") ?? 0
                if count < Self.purgedRows { return }
            } catch {
                // Before `swiftlet migrate up`, there is nothing to forget.
                guard error.state == .undefinedTable else { throw error }
                return
            }
        }
    }
}
