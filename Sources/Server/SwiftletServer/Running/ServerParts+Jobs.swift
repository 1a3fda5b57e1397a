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
            let registry = try JobRegistry(functions + ours(mailer, texts))
            return JobWorker(registry, configuration.jobs, database: database, on: group.loops, logger: log.logger)
        } catch {
            throw ConfigurationError(error)
        }
    }

    private func ours(_ mailer: Mailer?, _ texts: TextSender?) -> [Function] {
        let purge = FilePurge(storage: storage, after: configuration.files.purgeAge)
        let audit = configuration.signIn.auditDays.map { AuditPurge(days: $0) }
        let grants = ProviderGrants(configuration.redirects.providers(services))
        let always = [
            Function("storage") { purge.job }, Function("idempotency") { IdempotencyPurge.job },
            Function("search-index") { SearchFill.job },
            WebhookSender(posts, configuration.webhooks).function,
        ]
        let asked: [Function?] = [
            backups?.job.map { job in Function("backup") { job } },
            mailer.map { mailer in Function("auth") { mailer.job } },
            texts.map { texts in Function("texts") { texts.job } },
            audit.map { audit in Function("audit") { audit.job } },
            grants.map { grants in Function("grants") { grants.job } },
        ]
        return always + asked.compactMap(\.self)
    }
}
