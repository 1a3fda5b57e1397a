/// The limits of a server, and of its functions. Nothing here waits, or asks the database.
package final class RateLimits: Sendable {
    /// Of the whole server, by whose requests count together.
    private let general: [RateCounter]
    private let ofFunctions: [String: [RateCounter]]
    /// The server's with those of the function, so that no request puts them together.
    private let together: [String: [RateCounter]]
    private let proxies: TrustedProxies?
    private let clock: ServerClock
    private let isInUse: Bool
    /// Those of routes included.
    let counters: [RateCounter]

    init(_ settings: RateSettings, routes: [RateCounter], clock: ServerClock) {
        proxies = settings.trustedProxies
        self.clock = clock
        let general = settings.general.map {
            RateCounter($0, scope: "all/\($0.partition.rawValue)", label: $0.partition.rawValue)
        }
        var ofFunctions: [String: [RateCounter]] = [:]
        for (name, limits) in settings.functions {
            ofFunctions[name] = limits.map {
                let label = "\(name)-\($0.partition.rawValue)"
                return RateCounter($0, scope: "function/\(label)", label: label)
            }
        }
        self.general = general
        self.ofFunctions = ofFunctions
        together = ofFunctions.mapValues { general + $0 }
        counters = general + ofFunctions.values.flatMap(\.self) + routes
        isInUse = !counters.isEmpty
    }

    /// nil where nothing limits anybody, which costs nothing. Each part of a batch counts as a request; with the first of
    /// them the server's limits have counted the batch already.
    @inline(__always)
    func begin(_ destination: Destination, isCounted: Bool = false) -> RateAdmission? {
        guard isInUse, destination.isLimited else { return nil }
        let name = destination.endpoint.name
        var counters = isCounted ? ofFunctions[name] ?? [] : together[name] ?? general
        if !destination.limits.isEmpty { counters += destination.limits }
        return counters.isEmpty ? nil : RateAdmission(counters, at: clock.milliseconds())
    }

    /// The client's address, as limits count it; nil if it has none.
    func address(of request: Request) -> String? {
        let text = ClientAddress(request, trusting: proxies).text
        guard text.contains(":") else { return text.isEmpty ? nil : text }
        return IPAddress(text)?.network
    }
}

/// What an operator limits.
package struct RateSettings: Sendable, Equatable {
    /// `RATE_LIMIT`, for all functions together.
    package var general: [RateLimit] = []
    /// `RATE_LIMIT`, for one function each.
    package var functions: [String: [RateLimit]] = [:]
    /// `RATE_LIMIT_SHARED`: whether servers tell each other what they have taken.
    package var isShared = true
    /// `TRUSTED_PROXIES`
    package var trustedProxies: TrustedProxies?

    package init() {}

    package static func == (left: RateSettings, right: RateSettings) -> Bool {
        left.general == right.general && left.functions == right.functions && left.isShared == right.isShared
    }
}
