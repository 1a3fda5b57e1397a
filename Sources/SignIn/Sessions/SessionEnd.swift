import Postgres

/// Decides whether a session has expired, as GoTrue does.
enum SessionEnd {
    /// An expression over the row `s` of `auth.sessions`: NULL for an active session, else a suffix for the error
    /// message.
    static func reason(_ settings: SignInSettings, _ tables: AccountTables) -> SQL {
        var cases: SQL = "WHEN \(hasPassed("s")) THEN ''"
        if let seconds = settings.sessionSeconds {
            cases.append(" WHEN s.created_at <= now() - \(seconds) * interval '1 second' THEN ''")
        }
        if let seconds = settings.inactivitySeconds {
            // In UTC without a zone; older tables do not have it.
            let last: SQL =
                tables.has("sessions", "refreshed_at")
                ? "coalesce(s.refreshed_at AT TIME ZONE 'UTC', s.created_at)" : "coalesce(s.updated_at, s.created_at)"
            cases.append(" WHEN \(last) <= now() - \(seconds) * interval '1 second' THEN ' (Inactivity)'")
        }
        if settings.allowsOneSession {
            let hasSameTag: SQL = tables.has("sessions", "tag") ? "AND n.tag IS NOT DISTINCT FROM s.tag" : ""
            cases.append(
                """
                 WHEN EXISTS (
                    SELECT FROM auth.sessions AS n WHERE n.user_id = s.user_id \(hasSameTag)
                        AND (n.created_at, n.id) > (s.created_at, s.id) AND NOT \(hasPassed("n"))
                ) THEN ' (Revoked by Newer Login)'
                """
            )
        }
        return "CASE \(cases) END"
    }

    /// Older tables do not have the column.
    private static func hasPassed(_ session: SQL) -> SQL {
        "coalesce((to_jsonb(\(session)) ->> 'not_after')::timestamptz <= now(), false)"
    }
}
