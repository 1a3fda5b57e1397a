import SwiftletEventLoop
import SwiftletFiles
import SwiftletJobs
import SwiftletSignIn
import SwiftletWeb
import SwiftletWebhooks

extension ServerParts {
    /// Performs the jobs of the app, and those of the server.
    func worker(_ mailer: Mailer?, _ texts: TextSender?) throws -> JobWorker {
        do {
            let purge = FilePurge(storage: storage, after: configuration.files.purgeAge)
            let backup = backups?.job.map { job in [Function("backup") { job }] } ?? []
            let ours =
                [
                    Function("storage") { purge.job }, Function("idempotency") { IdempotencyPurge.job },
                    WebhookSender(posts, configuration.webhooks).function,
                ] + backup
                + (mailer.map { mailer in [Function("auth") { mailer.job }] } ?? [])
                + (texts.map { texts in [Function("texts") { texts.job }] } ?? [])
            let registry = try JobRegistry(functions + ours)
            return JobWorker(registry, configuration.jobs, database: database, on: group.loops, logger: log.logger)
        } catch {
            throw ConfigurationError(error)
        }
    }
}
