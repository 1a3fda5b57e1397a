import SwiftletJSON
import SwiftletPostgres

/// New values for the metadata columns of `auth.users`. Each is a single expression over the row as it is when the
/// statement runs, so that concurrent changes are all kept.
enum MetadataSQL {
    /// `column` with the members of `data`, without those that are null.
    static func merging(_ data: JSONObject, into column: SQL) -> SQL {
        let removed = data.filter { $0.value.isNull }.map(\.name)
        // A new object, because removing a member takes time linear in its size.
        var kept = JSONObject()
        for (name, value) in data where !value.isNull { kept[name] = value }
        return """
            (coalesce(\(column), '{}') || \(JSONValue.object(kept).description)::jsonb) - \(removed)::text[]
            """
    }

    /// `raw_app_meta_data` with the providers of the account's identities as they are now, the oldest first, and `email`
    /// where there is a password. The one in `provider` stays while it is among them.
    static func namingProviders(of id: String) -> SQL {
        """
        coalesce(raw_app_meta_data, '{}') || coalesce((
            SELECT jsonb_build_object(
                'providers', jsonb_agg(p.name ORDER BY p.since, p.name),
                'provider', CASE
                    WHEN bool_or(p.name = raw_app_meta_data ->> 'provider') THEN raw_app_meta_data ->> 'provider'
                    ELSE (array_agg(p.name ORDER BY p.since, p.name))[1]
                END
            )
            FROM (
                SELECT name, min(since) AS since FROM (
                    SELECT provider AS name, created_at AS since FROM auth.identities WHERE user_id = \(id)
                    UNION ALL
                    SELECT 'email', users.created_at WHERE email <> '' AND encrypted_password <> ''
                ) AS ways GROUP BY name
            ) AS p HAVING count(*) > 0
        ), '{}')
        """
    }
}
