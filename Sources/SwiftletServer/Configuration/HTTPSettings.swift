import Outbound

extension HTTPEngine.Settings {
    /// For the calls of functions to other services.
    init(_ reader: inout SettingsReader, trust: Trust) {
        self.init()
        self.trust = trust
        allowsPrivateAddresses = reader.flag("HTTP_ALLOW_PRIVATE", default: false)
        connectionsPerHost = reader.integer("HTTP_CONNECTIONS_PER_HOST", default: 16, in: 1...1000)
        maximumRequests = reader.integer("HTTP_MAX_REQUESTS", default: 1024, in: 1...100_000)
    }
}
