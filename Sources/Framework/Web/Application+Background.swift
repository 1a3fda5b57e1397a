package import SwiftletAuth
package import SwiftletPostgres

/// What work in the background is done for.
package struct BackgroundWork: Sendable {
    /// A label in logs.
    package var name: String
    /// The id of the request that it comes from.
    package var requestID: String
    /// nil if it was not asked for by a user.
    package var user: User?
    package var tenant: TenantID?
    /// Whether it may use ``Context/databaseAcrossTenants``.
    package var isAcrossTenants = false
    package var isLastAttempt = false
    /// Runs at the end of each of its transactions; what it throws undoes the transaction.
    package var beforeCommit: (@Sendable (Transaction) async throws -> Void)?

    package init(name: String, requestID: String) {
        self.name = name
        self.requestID = requestID
    }
}

extension Application {
    /// A context like that of a request, for work that no client waits for.
    package func backgroundContext(_ work: BackgroundWork) -> Context {
        let state = RequestState(
            id: work.requestID,
            Endpoint(work.name),
            PathParameters(nil),
            server,
            startNanoseconds: server.clock.nanoseconds(),
            trace: server.tracer?.begin(nil, server.clock),
            isAcrossTenants: work.isAcrossTenants,
            isLastAttempt: work.isLastAttempt,
            beforeCommit: work.beforeCommit
        )
        if let user = work.user { state.identify(user, in: work.tenant) }
        return Context(state)
    }
}
