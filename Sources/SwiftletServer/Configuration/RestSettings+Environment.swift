import Rest

extension RestSettings {
    /// The settings of `/rest/v1`, under our names or PostgREST's; nil where `REST_SCHEMAS` is `off`.
    static func read(_ reader: inout SettingsReader) -> RestSettings? {
        var settings = RestSettings()
        let schemas = reader.either("REST_SCHEMAS", "PGRST_DB_SCHEMAS")
        if schemas?.lowercased() == "off" { return nil }
        if let schemas { settings.schemas = names(schemas, "REST_SCHEMAS", &reader) }
        if let path = reader.either("REST_EXTRA_SEARCH_PATH", "PGRST_DB_EXTRA_SEARCH_PATH") {
            settings.extraSearchPath = names(path, "REST_EXTRA_SEARCH_PATH", &reader)
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
        settings.preRequest = reader.either("REST_PRE_REQUEST", "PGRST_DB_PRE_REQUEST")
        settings.allowsRollback = reader.choice(
            reader.text("REST_TX_OVERRIDE") == nil ? "PGRST_DB_TX_END" : "REST_TX_OVERRIDE",
            default: false,
            ["on": true, "off": false, "true": true, "false": false, "commit-allow-override": true, "commit": false]
        )
        return settings
    }

    private static func names(_ text: String, _ setting: String, _ reader: inout SettingsReader) -> [String] {
        let names = SettingsReader.items(text)
        if names.isEmpty { reader.refuse("\(setting) must be a comma list of schemas, or off") }
        return names
    }
}

extension SettingsReader {
    /// A setting under our name, else under the one that PostgREST has for it.
    fileprivate func either(_ name: String, _ alias: String) -> String? { text(name) ?? text(alias) }

    fileprivate mutating func eitherFlag(_ name: String, _ alias: String) -> Bool {
        flag(text(name) == nil ? alias : name, default: false)
    }
}
