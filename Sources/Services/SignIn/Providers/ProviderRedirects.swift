import SwiftletPostgres

/// Sign-ins that have been sent to a provider, in `swiftlet.provider_redirects`.
struct ProviderRedirects: Sendable {
    let database: AccountDatabase

    /// As in GoTrue, `EXTERNAL_FLOW_STATE_EXPIRY_DURATION`.
    static let lifetimeSeconds = 300
    private static let sweptAtOnce = 100

    struct Entry: Sendable {
        let provider: String
        /// An allowed address; nil for `SITE_URL`.
        let redirect: String?
        let challenge: CodeChallenge?
        /// The account that the identity is to be linked to.
        let linkedUserID: String?
    }

    /// Stores the entry, and deletes some old ones. Returns the state, which nobody can guess.
    func insert(_ entry: Entry) async throws -> String {
        let state = RandomID.make()
        try await database.query(
            """
            WITH swept AS (
                DELETE FROM swiftlet.provider_redirects WHERE id IN (
                    SELECT id FROM swiftlet.provider_redirects
                    WHERE created_at < now() - \(Self.lifetimeSeconds) * interval '1 second'
                    ORDER BY created_at LIMIT \(Self.sweptAtOnce) FOR UPDATE SKIP LOCKED
                )
            )
            INSERT INTO swiftlet.provider_redirects
                (id, provider, redirect, code_challenge, code_challenge_method, linked_user_id)
            VALUES (
                \(state), \(entry.provider), \(entry.redirect), \(entry.challenge?.text),
                \(entry.challenge?.method.rawValue), \(entry.linkedUserID)
            )
            """
        )
        return state
    }

    /// Takes the entry out, so that a state works once; nil if there is none, or it is too old.
    func take(_ state: String) async throws -> Entry? {
        let rows = try await database.query(
            """
            DELETE FROM swiftlet.provider_redirects WHERE id = \(state)
            RETURNING provider, redirect, code_challenge, code_challenge_method, linked_user_id::text AS linked,
                created_at > now() - \(Self.lifetimeSeconds) * interval '1 second' AS is_fresh
            """
        )
        guard let row = rows.first, try row.decode(Bool.self, "is_fresh") else { return nil }
        let method = row["code_challenge_method"].flatMap(CodeChallenge.Method.init)
        return Entry(
            provider: try row.decode(String.self, "provider"),
            redirect: row["redirect"],
            challenge: method.flatMap { method in
                row["code_challenge"].map { CodeChallenge(text: $0, method: method) }
            },
            linkedUserID: row["linked"]
        )
    }
}
