package import SwiftletPostgres

/// The statements that write `swiftlet.ended_tokens` and tell all servers.
package struct EndedTokenSQL: Sendable {
    /// The lifetime of the access tokens that are refused.
    private let lifetimeSeconds: Int

    /// With an empty payload, something was added; with another one, something was removed.
    package static let channel: StaticString = "swiftlet_ended_tokens"
    /// For clocks that differ.
    private static let leewaySeconds = 60

    package init(lifetimeSeconds: Int) { self.lifetimeSeconds = lifetimeSeconds }

    /// Lists what `owners` returns as `owner_id`: a query, or a change with RETURNING.
    package func listing(_ owners: SQL) -> SQL {
        """
        WITH ended AS (\(owners)), listed AS (
            INSERT INTO swiftlet.ended_tokens (owner_id, kept_until)
            SELECT owner_id, now() + \(lifetimeSeconds + Self.leewaySeconds) * interval '1 second' FROM ended
            ON CONFLICT (owner_id) DO UPDATE SET ended_at = excluded.ended_at, kept_until = excluded.kept_until
            RETURNING 1
        )
        SELECT pg_notify(\(Self.channel.description), '') FROM (SELECT FROM listed LIMIT 1) AS one
        """
    }

    /// Takes an account off the list.
    package static func removal(of id: String) -> SQL {
        """
        WITH removed AS (DELETE FROM swiftlet.ended_tokens WHERE owner_id = \(id)::uuid RETURNING 1)
        SELECT pg_notify(\(channel.description), 'removed') FROM removed
        """
    }
}
