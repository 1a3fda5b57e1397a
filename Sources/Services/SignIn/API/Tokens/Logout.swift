import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /logout?scope=global|local|others`: ends sessions. An access token whose time is over will do, as nobody
    /// refreshes one just to leave.
    func logout(_ request: Request, _ context: Context) async throws -> Response {
        let caller = try await caller(request, for: .signOut)
        guard let scope = SessionStore.Scope(rawValue: request.query["scope"] ?? "global") else {
            throw SignInError.invalid("Unsupported logout scope")
        }
        let note = AuditEntry(action: .logout, address: services.client(request).address)
        try await accounts.run { tables in
            [sessions.ending(scope, of: caller.account.id, session: caller.sessionID, tables)]
                + tables.audit(note, of: caller.account.id)
        }
        await services.ended.refresh()
        return Response(status: .noContent)
    }
}
