import SwiftletPostgres

/// The statements that write sessions into these tables.
struct SessionStatements: Sendable {
    let tables: AccountTables

    init(_ tables: AccountTables) { self.tables = tables }

    /// Inserts the session with its refresh token and how the user was authenticated, and notes the sign-in in the
    /// user's rows.
    func insertion(of new: NewSession) -> [SQL] {
        var session = RowValues("sessions", tables.auth)
        session.set("id", "\(new.id)")
        session.set("user_id", "\(new.userID)")
        session.set("created_at", "now()")
        session.set("updated_at", "now()")
        session.set("aal", "'aal1'")
        session.set("user_agent", "\(new.client.userAgent)")
        session.set("ip", "nullif(\(new.client.address)::text, '')::inet")
        var claim = RowValues("mfa_amr_claims", tables.auth)
        claim.set("id", "gen_random_uuid()")
        claim.set("session_id", "\(new.id)")
        claim.set("created_at", "now()")
        claim.set("updated_at", "now()")
        claim.set("authentication_method", "\(new.method.rawValue)")
        let token = insertion(ofToken: new.refreshToken, parent: nil, sessionID: new.id, userID: new.userID)
        let signIn = tables.statements.update(of: new.userID) { $0.set("last_sign_in_at", "now()") }
        let note = tables.sql.noteLogin(new.userID).map { [$0] } ?? []
        return [session.insertion, token, claim.insertion, signIn] + note
    }

    /// Inserts a refresh token. `parent` is the token that it replaces.
    func insertion(ofToken token: String, parent: String?, sessionID: String, userID: String) -> SQL {
        var row = RowValues("refresh_tokens", tables.auth)
        row.set("instance_id", "\(AccountSQL.instance)")
        row.set("token", "\(token)")
        // A string in this table only.
        row.set("user_id", "\(userID)")
        row.set("revoked", "false")
        row.set("parent", "\(parent)")
        row.set("session_id", "\(sessionID)")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }
}
