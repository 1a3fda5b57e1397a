import SwiftletPostgres

/// Deletes what nobody can use any more, so that the tables do not grow with every refresh and sign-in.
///
/// Only looks at the rows of one session or user, which an index finds. Across the table, what abandoned sessions keep
/// would be in the way: a current token and its parent, as old as what can go.
enum SessionSweep {
    /// Both a refresh and a sign-in add one row.
    private static let sweptAtOnce = 10

    /// Deletes some of the session's tokens that were used more than a day ago, for use after a refresh: the new
    /// token's parent has just been used then. Such a token is refused as unknown, and no longer recognized as stolen.
    ///
    /// In GoTrue's schema from before November 2022, which lacks `not_after`, a token refers to its parent by a foreign
    /// key: there, all of them stay.
    static func usedTokens(of sessionID: String, _ tables: AccountTables) -> [SQL] {
        guard tables.has("sessions", "not_after") else { return [] }
        let deletion: SQL = """
            DELETE FROM auth.refresh_tokens WHERE id IN (
                SELECT id FROM auth.refresh_tokens
                WHERE session_id = \(sessionID) AND revoked AND updated_at < now() - interval '24 hours'
                LIMIT \(sweptAtOnce) FOR UPDATE SKIP LOCKED
            )
            """
        return [deletion]
    }

    /// Deletes some of the user's sessions whose time was over three days ago. Until then, clients learn why they are
    /// signed out.
    static func endedSessions(of userID: String, _ settings: SignInSettings, _ tables: AccountTables) -> SQL {
        """
        DELETE FROM auth.sessions WHERE id IN (
            SELECT s.id FROM auth.sessions AS s
            WHERE s.user_id = \(userID) AND \(SessionEnd.wasOver(at: "now() - interval '72 hours'", settings, tables))
            LIMIT \(sweptAtOnce) FOR UPDATE SKIP LOCKED
        )
        """
    }
}
