import SwiftletEventLoop

/// One call to the database until its caller has the result: one statement, or several that are sent together.
///
/// Belongs to its loop's thread. It keeps the parameters until the end, because a read may have to be retried, and
/// carries the results to the caller across the suspension, because ``Rows`` cannot be copied.
final class PendingQuery {
    enum State {
        /// Not yet given to libpq: nothing was sent.
        case waiting
        case sent
        /// The caller has its result; whatever still arrives is dropped.
        case done
    }

    struct Part {
        let statement: Statement
        let parameters: Parameters
    }

    /// Who is notified, once.
    ///
    /// The continuation is an unsafe one because a checked one allocates its check for every
    /// query; ``finish(_:)`` resumes it exactly once.
    @safe enum Caller {
        case task(UnsafeContinuation<Void, Never>)
        case action((PendingQuery) -> Void)
    }

    let statement: Statement
    let parameters: Parameters
    /// What follows the first statement in a group.
    let others: [Part]
    /// Read-only calls may share a batch and be retried; every statement in the group must be read-only.
    let isReadOnly: Bool
    var deadline: LoopInstant
    var waitDeadline = LoopInstant.distantFuture

    private(set) var state = State.waiting
    var caller: Caller?
    /// True when finishing it only resumes a task, and runs no closure on the spot.
    var runsNoClosure: Bool {
        if case .action = caller { false } else { true }
    }
    private(set) var error: PostgresError?
    private var firstRows: Rows?
    private var otherRows: [RowsBox] = []
    private(set) var answeredParts = 0
    /// The statement that the server has refused, counted from 0.
    var failedPart: Int?

    /// The number of the current attempt; results of any other are stale.
    private(set) var attempt: UInt32 = 0
    /// The highest number given to an attempt; no number is given twice.
    private var latestAttempt: UInt32 = 0
    /// Why it was retried. Each reason counts once.
    struct Retries: OptionSet {
        let rawValue: UInt8

        /// Another statement of its batch failed.
        static let aborted = Retries(rawValue: 1)
        /// The server had lost the prepared statement.
        static let unprepared = Retries(rawValue: 2)
        /// It timed out on a lock, or lost to others.
        static let lockedOut = Retries(rawValue: 4)
        /// It was held up by a slow query.
        static let overtaken = Retries(rawValue: 8)
    }

    var retries: Retries = []
    /// How many connections broke under it.
    private var losses = 0
    /// It may be the query that holds up the others.
    var isSuspect = false
    /// It changes what its own batch runs under, such as the role: nobody else's statement may be in it.
    let isIsolated: Bool
    /// Whose share of the connections it takes; nil for the server's own functions, which have no share.
    let guest: Guest?
    /// It may change the session for longer than its transaction, as functions can.
    let mayLeaveTraces: Bool
    /// Must not share a batch, or not any more.
    var mustBeAlone: Bool { isIsolated || !retries.isDisjoint(with: [.aborted, .unprepared]) }

    init(
        _ statement: Statement,
        _ parameters: consuming Parameters,
        others: [Part] = [],
        isIsolated: Bool = false,
        guest: Guest? = nil,
        mayLeaveTraces: Bool = false,
        deadline: LoopInstant
    ) {
        self.statement = statement
        self.parameters = parameters
        self.others = others
        self.isIsolated = isIsolated
        self.guest = guest
        self.mayLeaveTraces = mayLeaveTraces
        self.deadline = deadline
        isReadOnly = statement.isReadOnly && (others.isEmpty || others.allSatisfy { $0.statement.isReadOnly })
    }

    /// It has had no effect when a part of it fails.
    var isAtomic: Bool { statement.isAtomic && others.allSatisfy(\.statement.isAtomic) }

    var partCount: Int { others.count &+ 1 }

    var statements: [Statement] { [statement] + others.map(\.statement) }

    func statement(at part: Int) -> Statement { part == 0 ? statement : others[part &- 1].statement }

    func parameters(at part: Int) -> Parameters { part == 0 ? parameters : others[part &- 1].parameters }

    /// Why it cannot be sent at all.
    var fault: PostgresError? {
        if let fault = parameters.fault { return fault }
        return others.isEmpty ? nil : others.lazy.compactMap(\.parameters.fault).first
    }

    /// Records that its connection broke. True while it may be retried: only a read, and only once, because it may be
    /// what breaks the connections; more often when an administrator closed them.
    func survivesLoss(byAdministrator: Bool) -> Bool {
        losses += 1
        return isReadOnly && losses <= (byAdministrator ? 5 : 1)
    }

    // MARK: - The way to the result

    /// Records that it was given to a connection.
    func markSent() {
        state = .sent
        latestAttempt &+= 1
        attempt = latestAttempt
        answeredParts = 0
        firstRows = nil
        otherRows.removeAll()
    }

    /// Makes an earlier attempt, still in flight, the current one again.
    func goBack(toAttempt earlier: UInt32) { attempt = earlier }

    /// Returns it to the state before it was sent.
    func markWaiting() { state = .waiting }

    func add(_ rows: consuming Rows, part: Int) {
        answeredParts = part &+ 1
        if part == 0 { firstRows = consume rows } else { otherRows.append(RowsBox(rows)) }
    }

    /// Notifies the caller, the first time only.
    func finish(_ error: PostgresError? = nil) {
        guard state != .done else { return }
        state = .done
        self.error = error
        let caller = caller.take()
        switch caller {
        case .task(let continuation): unsafe continuation.resume()
        case .action(let action): action(self)
        case nil: break
        }
    }

    // MARK: - The caller's side, after `finish`

    func takeRows() throws(PostgresError) -> Rows {
        if let error { throw error }
        guard let rows = firstRows.take() else { throw .connectionLostAfterSending }
        return rows
    }

    /// All results but the first `skipped`.
    func takeGroup(after skipped: Int = 0) throws(PostgresError) -> [RowsBox] {
        let first = RowsBox(try takeRows())
        return skipped == 0 ? [first] + otherRows : Array(otherRows.dropFirst(skipped - 1))
    }

    /// The same, with the statement that is to blame for a failure.
    func takeGroupResult(after skipped: Int = 0) -> Result<[RowsBox], StatementGroupError> {
        do throws(PostgresError) {
            return .success(try takeGroup(after: skipped))
        } catch {
            return .failure(StatementGroupError(error: error, index: failedPart.map { $0 - skipped }))
        }
    }
}
