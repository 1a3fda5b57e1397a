import SwiftletRest

extension RestSettings {
    /// The settings of `/rest/v1`, under our names or PostgREST's; nil where `REST_SCHEMAS` is `off`.
    static func read(_ reader: inout SettingsReader) -> RestSettings? {
        refuseUnknownNames(&reader)
        var settings = RestSettings()
        let schemas = reader.either("REST_SCHEMAS", "PGRST_DB_SCHEMAS")
        if schemas?.lowercased() == "off" { return nil }
        if let schemas { settings.schemas = names(schemas, "REST_SCHEMAS", &reader) }
        if let path = reader.either("REST_EXTRA_SEARCH_PATH", "PGRST_DB_EXTRA_SEARCH_PATH") {
            settings.extraSearchPath =
                path.lowercased() == "off" ? [] : names(path, "REST_EXTRA_SEARCH_PATH", &reader)
        }
        if let role = reader.either("REST_ANON_ROLE", "PGRST_DB_ANON_ROLE") {
            settings.anonymousRole = role.lowercased() == "off" ? nil : role
        }
        let rows = reader.text("REST_MAX_ROWS") == nil ? "PGRST_DB_MAX_ROWS" : "REST_MAX_ROWS"
        if reader.text(rows) != nil {
            settings.maximumRows = reader.integer(rows, default: 1000, in: 1...10_000_000)
        }
        settings.allowsAggregates = reader.eitherFlag("REST_AGGREGATES", "PGRST_DB_AGGREGATES_ENABLED")
        settings.showsPlans = reader.eitherFlag("REST_PLAN", "PGRST_DB_PLAN_ENABLED")
        settings.transactionSettings = reader.names(with: applicationPrefix).compactMap { name in
            reader.text(name).map { ("app.settings.\(name.dropFirst(applicationPrefix.count).lowercased())", $0) }
        }
        settings.showsTimings = reader.eitherFlag("REST_SERVER_TIMING", "PGRST_SERVER_TIMING_ENABLED")
        settings.audience = reader.either("REST_JWT_AUD", "PGRST_JWT_AUD")
        settings.description = reader.read(
            reader.text("REST_OPENAPI") == nil ? "PGRST_OPENAPI_MODE" : "REST_OPENAPI",
            default: .followsPrivileges,
            accepted: "follow-privileges, ignore-privileges or disabled",
            RestSettings.Description.init(mode:)
        )
        settings.describesSecurity = reader.eitherFlag("REST_OPENAPI_SECURITY", "PGRST_OPENAPI_SECURITY_ACTIVE")
        settings.describedURL = reader.either("REST_OPENAPI_URL", "PGRST_OPENAPI_SERVER_PROXY_URI")
        settings.rootFunction = reader.either("REST_ROOT_SPEC", "PGRST_DB_ROOT_SPEC")
        settings.traceField = reader.either("REST_TRACE_HEADER", "PGRST_SERVER_TRACE_HEADER")
        let ours = "REST_ERROR_VERBOSITY"
        let verbosity = reader.text(ours) == nil ? "PGRST_CLIENT_ERROR_VERBOSITY" : ours
        settings.tellsDetails = reader.choice(verbosity, default: true, ["verbose": true, "minimal": false])
        settings.preRequest = reader.either("REST_PRE_REQUEST", "PGRST_DB_PRE_REQUEST")
        settings.ending = reader.read(
            ["REST_TX_END", "REST_TX_OVERRIDE"].first { reader.text($0) != nil } ?? "PGRST_DB_TX_END",
            default: RestSettings.TransactionEnding(),
            accepted: "commit, commit-allow-override, rollback or rollback-allow-override"
        ) { text in
            switch text.lowercased() {
            case "on", "true", "1": RestSettings.TransactionEnding(isOverridable: true)
            case "off", "false", "0": RestSettings.TransactionEnding()
            default: RestSettings.TransactionEnding(mode: text)
            }
        }
        return settings
    }

    /// What functions read as `current_setting('app.settings.…')`.
    private static let applicationPrefix = "pgrst_app_settings_".uppercased()

    private static let honoredNames: Set<String> = [
        "PGRST_DB_SCHEMAS", "PGRST_DB_EXTRA_SEARCH_PATH", "PGRST_DB_ANON_ROLE", "PGRST_DB_MAX_ROWS",
        "PGRST_DB_AGGREGATES_ENABLED", "PGRST_DB_PLAN_ENABLED", "PGRST_DB_PRE_REQUEST", "PGRST_DB_TX_END",
        "PGRST_JWT_AUD", "PGRST_OPENAPI_MODE", "PGRST_SERVER_TIMING_ENABLED", "PGRST_OPENAPI_SECURITY_ACTIVE",
        "PGRST_OPENAPI_SERVER_PROXY_URI", "PGRST_DB_ROOT_SPEC", "PGRST_SERVER_TRACE_HEADER",
        "PGRST_CLIENT_ERROR_VERBOSITY",
    ]

    /// A check that an operator believes in must not vanish, such as one of the role of tokens.
    private static func refuseUnknownNames(_ reader: inout SettingsReader) {
        for name in reader.names(with: "pgrst_".uppercased())
        where !honoredNames.contains(name) && !name.hasPrefix(applicationPrefix) {
            reader.refuse("\(name) is a setting of PostgREST that is not honored here: remove it, see docs/rest.md")
        }
    }

    private static func names(_ text: String, _ setting: String, _ reader: inout SettingsReader) -> [String] {
        let names = RestSettings.names(text)
        if names == nil { reader.refuse("\(setting) must be a comma list of schemas, or off") }
        return names ?? []
    }
}

extension SettingsReader {
    /// A setting under our name, else under the one that PostgREST has for it.
    fileprivate func either(_ name: String, _ alias: String) -> String? { text(name) ?? text(alias) }

    fileprivate mutating func eitherFlag(_ name: String, _ alias: String) -> Bool {
        flag(text(name) == nil ? alias : name, default: false)
    }
}
