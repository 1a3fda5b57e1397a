import Jobs
import Outbound
import SignIn
import Web

extension Mailer {
    static let jobName = "swiftlet-mail"

    /// The job that sends one letter. Its ten attempts take about as long as a link is valid.
    var job: Job<QueuedLetter> {
        Jobs.job("swiftlet-mail") { (letter: QueuedLetter, _) in
            do {
                try await self.send(letter)
            } catch let error as OutboundError where !error.isTemporary {
                throw JobFailure("the mail cannot be sent: \(error)")
            }
        }
        .acrossTenants()
    }
}

extension LetterQueue {
    /// Letters as jobs of this worker and of the other servers on its database.
    init(_ job: Job<QueuedLetter>, _ worker: JobWorker) {
        self.init(insertion: { try job.insertion($0) }, announce: { worker.announce() })
    }
}
