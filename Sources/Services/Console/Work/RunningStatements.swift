import SwiftletHTTP
import Synchronization

/// Which statements of operators run, on which backends, and which of them are to end.
final class RunningStatements: Sendable {
    /// One connection less than there are, so that a cancel always finds one.
    static let maximum = 3

    private struct Statement {
        /// Nil before the transaction begins and after its last step.
        var pid: String?
        var isCancelled = false
    }

    private struct State {
        var byID: [String: Statement] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    /// How a backend calls itself while it performs the statement.
    static func name(of id: String) -> String { String("swiftlet-console \(id)".prefix(63)) }

    /// False if too many run. A statement without an id cannot be cancelled.
    func begin(_ id: String) -> Bool {
        state.withLock { state in
            guard state.count < Self.maximum, id.isEmpty || state.byID[id] == nil else { return false }
            state.count += 1
            if !id.isEmpty { state.byID[id] = Statement() }
            return true
        }
    }

    func perform(_ id: String, by pid: String?) throws(ConsoleError) {
        try change(id) { $0.pid = pid }
    }

    /// From now on the backend is not cancelled: what it does next is the transaction's end.
    func finish(_ id: String) throws(ConsoleError) {
        try change(id) { $0.pid = nil }
    }

    func check(_ id: String) throws(ConsoleError) { try change(id) { _ in } }

    func end(_ id: String) {
        state.withLock { state in
            state.count -= 1
            state.byID[id] = nil
        }
    }

    /// False if no such statement runs.
    func cancel(_ id: String) -> Bool {
        state.withLock { state in
            guard state.byID[id] != nil else { return false }
            state.byID[id]?.isCancelled = true
            return true
        }
    }

    func pid(of id: String) -> String? { state.withLock { $0.byID[id]?.pid } }

    private func change(_ id: String, _ body: (inout Statement) -> Void) throws(ConsoleError) {
        let isCancelled = state.withLock { state in
            guard var statement = state.byID[id] else { return false }
            body(&statement)
            state.byID[id] = statement
            return statement.isCancelled
        }
        if isCancelled { throw ConsoleError(400, "CANCELLED", "canceled by the operator") }
    }
}
