import SwiftletJobs
import SwiftletOutbound
import SwiftletSignIn
import SwiftletWeb

extension TextSender {
    /// The job that sends one text. Its attempts take no longer than a code is valid by default, and are few, as each
    /// may cost money.
    var job: Job<QueuedText> {
        Job("swiftlet-sms") { (text: QueuedText, _) in
            do {
                try await self.send(text)
            } catch let error as OutboundError where !error.isTemporary {
                throw JobFailure("the text cannot be sent: \(error)")
            }
        }
        .acrossTenants()
        .attempting(4)
    }
}

extension TextQueue {
    /// Texts as jobs of this worker and of the other servers on its database.
    init(_ job: Job<QueuedText>, _ worker: JobWorker) {
        self.init(insertion: { try job.insertion($0) }, announce: { worker.announce() })
    }
}
