import SwiftletPostgres

/// Decides whether a session has expired, as GoTrue does.
enum SessionEnd {
    /// An expression over the row `s` of `auth.sessions`: NULL for an active session, else a suffix for the error
    /// message.
    static func reason(_ settings: SignInSettings, _ tables: AccountTables) -> SQL {
        var cases = SQL(text: "")
        for limit in limits("now()", settings, tables) { cases.append(" WHEN \(limit.isOver) THEN \(limit.suffix)") }
        if settings.allowsOneSession {
            let hasSameTag: SQL = tables.has("sessions", "tag") ? "AND n.tag IS NOT DISTINCT FROM s.tag" : ""
            cases.append(
                """
                 WHEN EXISTS (
                    SELECT FROM auth.sessions AS n WHERE n.user_id = s.user_id \(hasSameTag)
                        AND (n.created_at, n.id) > (s.created_at, s.id)
                        AND (\(hasPassed("n", "now()", tables))) IS NOT TRUE
                ) THEN ' (Revoked by Newer Login)'
                """
            )
        }
        return "CASE \(cases) END"
    }

    /// A condition on the row `s` of `auth.sessions`: whether its time was over at that moment. A session that was only
    /// displaced by a newer one does not count, because it can be refreshed again after the end of that.
    static func wasOver(at moment: SQL, _ settings: SignInSettings, _ tables: AccountTables) -> SQL {
        var conditions: SQL = "false"
        for limit in limits(moment, settings, tables) { conditions.append(" OR \(limit.isOver)") }
        return "(\(conditions))"
    }

    private static func limits(
        _ moment: SQL,
        _ settings: SignInSettings,
        _ tables: AccountTables
    ) -> [(isOver: SQL, suffix: SQL)] {
        var limits: [(isOver: SQL, suffix: SQL)] = [(hasPassed("s", moment, tables), "''")]
        if let seconds = settings.sessionSeconds {
            limits.append(("s.created_at <= \(moment) - \(seconds) * interval '1 second'", "''"))
        }
        if let seconds = settings.inactivitySeconds {
            // In UTC without a zone; older tables do not have it.
            let last: SQL =
                tables.has("sessions", "refreshed_at")
                ? "coalesce(s.refreshed_at AT TIME ZONE 'UTC', s.created_at)" : "coalesce(s.updated_at, s.created_at)"
            limits.append(("\(last) <= \(moment) - \(seconds) * interval '1 second'", "' (Inactivity)'"))
        }
        return limits
    }

    /// Older tables do not have the column.
    private static func hasPassed(_ session: SQL, _ moment: SQL, _ tables: AccountTables) -> SQL {
        tables.has("sessions", "not_after") ? "\(session).not_after <= \(moment)" : "false"
    }
}
