import Jobs
import Logging
import SwiftletTesting
import Web

@testable import SignIn

/// Letters as durable jobs, the way the server makes them.
struct LetterJobs {
    let mailer: Mailer
    let queue: LetterQueue
    /// Declares the job.
    let function: Function

    static func make(
        _ settings: MailSettings,
        _ key: SigningKey,
        _ parts: TestApplication.Parts,
        _ logger: Logger
    ) throws -> LetterJobs {
        let mailer = try Mailer(
            settings,
            database: parts.database,
            signingKey: key,
            http: parts.http,
            logger: logger
        )
        let letter = job("letter") { (letter: QueuedLetter, _) in try await mailer.send(letter) }.acrossTenants()
        return LetterJobs(
            mailer: mailer,
            queue: LetterQueue(insertion: { try letter.insertion($0) }, announce: parts.announceWork),
            function: Function("letters") { letter }
        )
    }
}
