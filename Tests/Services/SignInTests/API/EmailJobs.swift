import SwiftletJobs
import Logging
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletSignIn

/// Emails as durable jobs, the way the server makes them.
struct EmailJobs {
    let mailer: Mailer
    let queue: EmailQueue
    /// Declares the job.
    let function: Function

    static func make(
        _ settings: MailSettings,
        _ keys: SigningKeys,
        _ parts: TestApplication.Parts,
        _ logger: Logger
    ) throws -> EmailJobs {
        let mailer = try Mailer(
            settings,
            database: parts.database,
            keys: keys,
            http: parts.http,
            logger: logger
        )
        let message = Job("letter") { (message: QueuedEmail, _) in try await mailer.send(message) }.acrossTenants()
        return EmailJobs(
            mailer: mailer,
            queue: EmailQueue(insertion: { try message.insertion($0) }, announce: parts.announceWork),
            function: Function("letters") { message }
        )
    }
}
