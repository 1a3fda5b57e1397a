import SwiftletEventLoop
import Synchronization

@testable import SwiftletPostgres

/// Writes numbered rows for as long as it is let, and remembers what became of each.
final class WriteLog: Sendable {
    enum Outcome { case acknowledged, notSent, unknown }

    private let outcomes = Mutex<[Int: Outcome]>([:])
    private let next = Mutex(0)
    private let isStopped = Mutex(false)
    /// What was neither a success nor a fault of the connection.
    private let surprises = Mutex<[String]>([])

    static let table = "CREATE TABLE log (number int NOT NULL)"

    func stop() { isStopped.withLock { $0 = true } }

    var unexpected: [String] { surprises.withLock { $0 } }

    func numbers(_ outcome: Outcome) -> Set<Int> {
        outcomes.withLock { outcomes in Set(outcomes.filter { $0.value == outcome }.keys) }
    }

    func write(to database: Database) async {
        while !isStopped.withLock({ $0 }) {
            let number = next.withLock { next in
                next += 1
                return next
            }
            do throws(PostgresError) {
                try await database.query("INSERT INTO log VALUES (\(number)) RETURNING number")
                outcomes.withLock { $0[number] = .acknowledged }
            } catch {
                switch error.kind {
                case .connectionFailure, .overloaded: outcomes.withLock { $0[number] = .notSent }
                case .connectionLostAfterSending, .timeout: outcomes.withLock { $0[number] = .unknown }
                default: surprises.withLock { $0.append(error.debugDescription) }
                }
                await pause()
            }
        }
    }

    private func pause() async { try? await Task.sleep(for: .milliseconds(2)) }
}
