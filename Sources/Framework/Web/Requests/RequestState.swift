import SwiftletAuth
import SwiftletPostgres
import Synchronization

/// What becomes known about one request, from its arrival to its line in the log: the only object that goes with it.
package final class RequestState: Sendable {
    /// Echoed in `X-Request-ID`, in error bodies and in the log.
    let id: String
    let endpoint: Endpoint
    /// See ``Endpoint/loggedPath``.
    let loggedPath: String?
    let parameters: PathParameters
    let server: ServerState
    let startNanoseconds: UInt64
    /// What the client has sent.
    private let givenTraceParent: String?
    /// nil where no traces are recorded.
    let trace: Trace?
    /// Set for work in the background, see ``Application/backgroundContext(_:_:)``.
    let isAcrossTenants: Bool
    let isLastAttempt: Bool
    /// Runs at the end of each transaction, whose last statements are its.
    let beforeCommit: (@Sendable (Transaction) async throws -> Void)?
    /// nil where replicas have no part in it.
    let placement: ReadPlacement?
    private let caller = Mutex(Caller())
    private let databaseTime = Atomic<UInt64>(0)
    private let rowCount = Atomic<Int>(0)
    private let callTime = Atomic<UInt64>(0)
    private let callCount = Atomic<Int>(0)
    private let hasTimedOut = Atomic<Bool>(false)
    private let isOfBatch = Atomic<Bool>(false)
    private let notes = Mutex(Notes())

    /// What the response has to say beside its body.
    private struct Notes {
        var missingTables: [String] = []
        var undecodableColumns: [String] = []
    }

    private struct Caller {
        var user: User?
        var tenant: TenantID?
        /// The names for the log, where a handler authenticates callers itself.
        var loggedUser: String?
        var loggedTenant: String?
    }

    init(
        id: String,
        _ endpoint: Endpoint,
        loggedPath: String? = nil,
        _ parameters: PathParameters,
        _ server: ServerState,
        startNanoseconds: UInt64,
        traceParent: String? = nil,
        trace: Trace? = nil,
        placement: ReadPlacement? = nil,
        isAcrossTenants: Bool = false,
        isLastAttempt: Bool = false,
        beforeCommit: (@Sendable (Transaction) async throws -> Void)? = nil
    ) {
        self.id = id
        self.endpoint = endpoint
        self.loggedPath = loggedPath ?? endpoint.loggedPath
        self.parameters = parameters
        self.server = server
        self.startNanoseconds = startNanoseconds
        givenTraceParent = traceParent
        self.trace = trace
        self.placement = placement
        self.isAcrossTenants = isAcrossTenants
        self.isLastAttempt = isLastAttempt
        self.beforeCommit = beforeCommit
    }

    /// Goes with calls to other services, and into the log.
    var traceParent: String? { trace?.context.header ?? givenTraceParent }

    /// The verified user; nil until there is one.
    var user: User? { caller.withLock(\.user) }

    /// The tenant that the request works in.
    var tenant: TenantID? { caller.withLock(\.tenant) }

    /// Whether the server has answered in place of the handler, which took too long.
    var isTimedOut: Bool { hasTimedOut.load(ordering: .relaxed) }

    /// Whether it is a call of a batch.
    var isPartOfBatch: Bool { isOfBatch.load(ordering: .relaxed) }

    func notePartOfBatch() { isOfBatch.store(true, ordering: .relaxed) }

    var databaseNanoseconds: UInt64 { databaseTime.load(ordering: .relaxed) }
    var rows: Int { rowCount.load(ordering: .relaxed) }

    /// The calls to other services, and how long the request has waited for them.
    var calls: Int { callCount.load(ordering: .relaxed) }
    var callNanoseconds: UInt64 { callTime.load(ordering: .relaxed) }

    /// The ids of caller and tenant for the log.
    var loggedCaller: (user: String?, tenant: String?) {
        caller.withLock { ($0.user?.id ?? $0.loggedUser, $0.tenant?.rawValue ?? $0.loggedTenant) }
    }

    func identify(_ user: User, in tenant: TenantID?) {
        caller.withLock {
            $0.user = user
            $0.tenant = tenant
        }
    }

    /// Names the caller in the log, for a handler that authenticates callers itself.
    package func logCaller(_ user: String, tenant: String?) {
        caller.withLock {
            $0.loggedUser = user
            $0.loggedTenant = tenant
        }
    }

    func timeOut() { hasTimedOut.store(true, ordering: .relaxed) }

    func addDatabase(nanoseconds: UInt64) { databaseTime.wrappingAdd(nanoseconds, ordering: .relaxed) }

    func addCall(nanoseconds: UInt64) {
        callCount.wrappingAdd(1, ordering: .relaxed)
        callTime.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    func noteMissingTable(_ name: String) { notes.withLock { $0.missingTables.append(name) } }

    func noteUndecodable(_ columns: [String]) {
        if !columns.isEmpty { notes.withLock { $0.undecodableColumns += columns } }
    }

    func addNotes(to response: inout Response) {
        let notes = notes.withLock { $0 }
        response.list(notes.missingTables, in: .xMissingTables)
        response.list(notes.undecodableColumns, in: .xUndecodableColumns)
    }

    func addRows(_ count: Int) { rowCount.wrappingAdd(count, ordering: .relaxed) }
}

extension Request {
    /// nil before the application has taken the request, and after it has answered.
    package var state: RequestState? { attachment as? RequestState }
}
