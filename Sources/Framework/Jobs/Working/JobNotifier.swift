import SwiftletEventLoop
import SwiftletPostgres

/// Tells the other servers that there is work, after the commit and not in it: PostgreSQL commits transactions that
/// notify one after another. What is announced while a statement is under way shares the next one.
final class JobNotifier: Sendable {
    static let channel: StaticString = "swiftlet_jobs"
    private static let notify = Statement("SELECT pg_notify('swiftlet_jobs', $1)", isReadOnly: false)

    private let database: Database
    /// Our own notifications are of no interest to us.
    let name: String
    private let wake: AsyncSignal
    private let isDue = AtomicFlag()

    init(_ database: Database, worker: Int, _ wake: AsyncSignal) {
        self.database = database
        self.wake = wake
        name = String(worker)
    }

    func announce() {
        if isDue.set() { wake.raise() }
    }

    /// A notification that is lost costs no more than the time until the others look by themselves.
    func run() async {
        while !Task.isCancelled {
            await wake.wait()
            guard isDue.take() else { continue }
            var parameters = Parameters()
            parameters.append(name)
            _ = try? await database.query(Self.notify, parameters)
        }
    }
}
