import SwiftletJobs
import SwiftletOutbound
import SwiftletSignIn
import SwiftletWeb

extension Mailer {
    static let jobName = "swiftlet-mail"

    /// The job that sends one email. Its ten attempts take about as long as a link is valid.
    var job: Job<QueuedEmail> {
        Job("swiftlet-mail") { (message: QueuedEmail, _) in
            do {
                try await self.send(message)
            } catch let error as OutboundError where !error.isTemporary {
                throw JobFailure("the mail cannot be sent: \(error)")
            }
        }
        .acrossTenants()
    }
}

extension EmailQueue {
    /// Emails as jobs of this worker and of the other servers on its database.
    init(_ job: Job<QueuedEmail>, _ worker: JobWorker) {
        self.init(insertion: { try job.insertion($0) }, announce: { worker.announce() })
    }
}
