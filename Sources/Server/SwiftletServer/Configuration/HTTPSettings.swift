import SwiftletOutbound

extension HTTPEngine.Settings {
    /// For the calls of functions to other services.
    init(_ reader: inout SettingsReader, trust: Trust) {
        self.init()
        self.trust = trust
        allowsPrivateAddresses = reader.flag("HTTP_ALLOW_PRIVATE", default: false)
        connectionsPerHost = reader.integer("HTTP_CONNECTIONS_PER_HOST", default: 16, in: 1...1000)
        maximumRequests = reader.integer("HTTP_MAX_REQUESTS", default: 1024, in: 1...100_000)
    }

    /// For what the operator has configured: push services, keys of issuers, mail. Their addresses may be private, and
    /// Apple wants its connection to be kept.
    static func services(trust: Trust) -> HTTPEngine.Settings {
        var settings = HTTPEngine.Settings()
        settings.trust = trust
        settings.allowsPrivateAddresses = true
        settings.connectionsPerHost = 4
        settings.keptSeconds = 3600
        return settings
    }
}
