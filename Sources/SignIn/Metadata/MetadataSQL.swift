import JSON
import Postgres

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

    /// `raw_app_meta_data` with `provider` in its list of providers, and as the first one if there was none.
    static func addingProvider(_ provider: String) -> SQL {
        """
        jsonb_build_object('provider', \(provider)::text) || coalesce(raw_app_meta_data, '{}')
            || jsonb_build_object('providers', CASE
            WHEN jsonb_typeof(raw_app_meta_data -> 'providers') IS DISTINCT FROM 'array'
                THEN jsonb_build_array(\(provider)::text)
            WHEN raw_app_meta_data -> 'providers' ? \(provider) THEN raw_app_meta_data -> 'providers'
            ELSE (raw_app_meta_data -> 'providers') || jsonb_build_array(\(provider)::text)
        END)
        """
    }
}
