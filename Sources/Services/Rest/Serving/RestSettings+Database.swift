/// PostgREST's configuration in the database: settings of the role that the server connects as,
/// `ALTER ROLE authenticator SET pgrst.db_max_rows = '1000'`, which go before those of the environment.
extension RestSettings {
    /// `name` is without the prefix `pgrst.`. False, and without effect, if the name is not honored or the value means
    /// nothing.
    package mutating func set(_ name: String, to value: String) -> Bool {
        switch name {
        case "db_schemas": return Self.set(&schemas, Self.names(value))
        case "db_extra_search_path" where value.isEmpty:
            extraSearchPath = []
        case "db_extra_search_path": return Self.set(&extraSearchPath, Self.names(value))
        case "db_anon_role":
            anonymousRole = value.isEmpty ? nil : value
        case "db_max_rows": return setMaximumRows(value)
        case "db_aggregates_enabled": return Self.set(&allowsAggregates, Self.flag(value))
        case "db_plan_enabled": return Self.set(&showsPlans, Self.flag(value))
        case "server_timing_enabled": return Self.set(&showsTimings, Self.flag(value))
        case "db_pre_request":
            preRequest = value.isEmpty ? nil : value
        case "db_tx_end": return Self.set(&ending, TransactionEnding(mode: value))
        case "openapi_mode": return Self.set(&description, Description(mode: value))
        case "openapi_security_active": return Self.set(&describesSecurity, Self.flag(value))
        case "openapi_server_proxy_uri":
            describedURL = value.isEmpty ? nil : value
        case "db_root_spec":
            rootFunction = value.isEmpty ? nil : value
        case "jwt_aud":
            audience = value.isEmpty ? nil : value
        default: return false
        }
        return true
    }

    /// Names between commas, which may hold blanks; nil for none.
    package static func names(_ text: String) -> [String]? {
        let names = text.split(separator: ",").map { String($0).trimmingSpaces() }.filter { !$0.isEmpty }
        return names.isEmpty ? nil : names
    }

    private mutating func setMaximumRows(_ value: String) -> Bool {
        if value.isEmpty {
            maximumRows = nil
            return true
        }
        guard let rows = Int(value), rows > 0 else { return false }
        maximumRows = rows
        return true
    }

    private static func flag(_ value: String) -> Bool? {
        switch value.lowercased() {
        case "true", "on", "yes", "1": true
        case "false", "off", "no", "0": false
        default: nil
        }
    }

    private static func set<Value>(_ setting: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        setting = value
        return true
    }
}

extension RestSettings.Description {
    /// PostgREST's words.
    package init?(mode: String) {
        switch mode.lowercased() {
        case "follow-privileges": self = .followsPrivileges
        case "ignore-privileges": self = .everything
        case "disabled", "off": self = .off
        default: return nil
        }
    }
}
