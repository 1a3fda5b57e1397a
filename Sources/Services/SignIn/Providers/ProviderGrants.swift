import SwiftletPostgres
package import SwiftletWeb

/// The refresh tokens that providers have given for accounts, kept for one purpose: to be revoked when the account is
/// gone (RFC 7009), as Apple asks of apps that delete accounts.
///
/// Rows are found by their accounts' absence, so that it does not matter who has deleted an account, and how.
package struct ProviderGrants: Sendable {
    /// Of one run, so that it ends in time.
    private static let batchRows = 100
    /// The last attempt is five days after the first.
    private static let maximumAttempts = 12
    private static let maximumTokenBytes = 8192

    private let providers: [RedirectProvider]

    /// nil if none of the providers is asked to revoke anything.
    package init?(_ redirects: [RedirectProvider]) {
        providers = redirects.filter(\.revokesAtDeletion)
        if providers.isEmpty { return nil }
    }

    /// Keeps the newest token in place of an older one; nothing where a migration is missing.
    static func keeping(
        _ tokens: ProviderTokens,
        of userID: String,
        _ provider: RedirectProvider,
        _ tables: AuthTables
    ) -> [SQL] {
        guard provider.revokesAtDeletion, tables.has("provider_grants", "refresh_token"),
            let token = tokens.refresh, !token.isEmpty, token.utf8.count <= maximumTokenBytes
        else { return [] }
        return [
            """
            INSERT INTO swiftlet.provider_grants (user_id, provider, refresh_token)
            VALUES (\(userID), \(provider.name), \(token))
            ON CONFLICT (user_id, provider) DO UPDATE SET refresh_token = excluded.refresh_token, created_at = now()
            """
        ]
    }

    /// Revokes what accounts that are gone have granted, and returns how much it was. What fails is tried again after
    /// ten minutes, then twenty and so on, at most a day. Throws ``PostgresError``.
    @discardableResult
    package func revoke(_ context: Context) async throws -> Int {
        let isReady = try await context.query("SELECT 1 WHERE to_regclass('swiftlet.provider_grants') IS NOT NULL")
        guard !isReady.isEmpty else { return 0 }
        let names = providers.map(\.name)
        let rows = try await context.query(
            """
            UPDATE swiftlet.provider_grants
            SET attempts = attempts + 1, due = now() + least(10 * 2 ^ attempts, 1440) * interval '1 minute'
            WHERE ctid = ANY (ARRAY (
                SELECT g.ctid FROM swiftlet.provider_grants AS g
                WHERE g.due <= now() AND g.provider = ANY (\(names)) AND NOT EXISTS (
                    SELECT FROM auth.users AS u
                    WHERE u.id = g.user_id AND to_jsonb(u) ->> 'deleted_at' IS NULL
                )
                ORDER BY g.due LIMIT \(Self.batchRows) FOR UPDATE OF g SKIP LOCKED
            ))
            RETURNING user_id::text AS id, provider, refresh_token, attempts
            """
        )
        var revoked = 0
        for row in rows {
            let grant = try Grant(row)
            if try await end(grant, context) { revoked += 1 }
        }
        return revoked
    }

    private struct Grant {
        let userID: String
        let provider: String
        let token: String
        let attempts: Int

        init(_ row: Row) throws {
            userID = try row.decode(String.self, "id")
            provider = try row.decode(String.self, "provider")
            token = try row.decode(String.self, "refresh_token")
            attempts = try row.decode(Int.self, "attempts")
        }
    }

    private func end(_ grant: Grant, _ context: Context) async throws -> Bool {
        guard let provider = providers.first(where: { $0.name == grant.provider }) else { return false }
        var isRevoked = true
        do throws(ProviderCalls.Failure) {
            try await provider.revoke(grant.token)
        } catch {
            isRevoked = false
            let isLast = grant.attempts >= Self.maximumAttempts
            context.logger.log(
                level: isLast ? .error : .warning,
                "a grant at a provider could not be revoked\(isLast ? ", and is given up" : "")",
                metadata: ["provider": "\(provider.name)", "cause": "\(error)", "attempt": "\(grant.attempts)"]
            )
            guard isLast else { return false }
        }
        _ = try await context.query(
            """
            DELETE FROM swiftlet.provider_grants
            WHERE user_id = \(grant.userID) AND provider = \(grant.provider) AND refresh_token = \(grant.token)
            """
        )
        return isRevoked
    }
}
