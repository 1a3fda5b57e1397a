import Auth
import Logging
import Outbound
import SignIn

/// Keeps the verifier's public keys fresh: read at the start, on SIGHUP, from an address again as often as its server
/// says, and when a token names a key that is not there.
struct PublicKeys: Sendable {
    private let sources: [Source]
    private let logger: Logger

    struct Source: Sendable {
        let owner: KeyOwner
        let keys: PublishedKeys
    }

    /// While none could be loaded yet, every token of that kind is refused: try more often.
    private static let retrySeconds = 5

    init(_ tokens: TokenSettings, for verifier: TokenVerifier, trust: Trust, _ logger: Logger) {
        self.logger = logger
        sources = tokens.keyPlaces.map { owner, place in
            let keys = PublishedKeys(
                place,
                trust: trust,
                onKeys: { keys in
                    switch owner {
                    case .server: verifier.replaceKeys(keys)
                    case .issuer(let name): verifier.replaceKeys(keys, of: name)
                    }
                    logger.debug(
                        "public keys loaded",
                        metadata: ["count": "\(keys.keys.count)", "of": "\(owner.name)"]
                    )
                },
                onFailure: { failure in
                    logger.error("public keys not loaded", metadata: ["cause": "\(failure)", "of": "\(owner.name)"])
                }
            )
            return Source(owner: owner, keys: keys)
        }
    }

    /// A missing file is a fault; an address that does not answer yet is tried again while we serve. Blocks.
    static func readFiles(_ tokens: TokenSettings, into verifier: TokenVerifier) throws(ConfigurationError) {
        var faults: [String] = []
        for (owner, place) in tokens.keyPlaces {
            guard case .file = place else { continue }
            do throws(PublishedKeys.Failure) {
                let keys = try PublishedKeys(place).read()
                switch owner {
                case .server: verifier.replaceKeys(keys)
                case .issuer(let name): verifier.replaceKeys(keys, of: name)
                }
            } catch {
                faults.append("\(owner.setting): \(error)")
            }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
    }

    /// Old keys stay where new ones cannot be had.
    func reload() async {
        await withTaskGroup { group in
            for source in sources { group.addTask { _ = await source.keys.refresh() } }
        }
    }

    /// For a token whose key nobody knows; ends within two seconds.
    func refresh(_ owner: KeyOwner) async -> Bool {
        guard let source = sources.first(where: { $0.owner == owner }) else { return false }
        return await source.keys.refreshAfterMiss()
    }

    /// Until cancelled.
    func keepFresh() async {
        await withTaskGroup { group in
            for source in sources { group.addTask { await keepFresh(source.keys) } }
        }
    }

    private func keepFresh(_ keys: PublishedKeys) async {
        if case .file = keys.place { return }
        while !Task.isCancelled {
            if keys.current == nil || keys.secondsToExpiry == 0 { await keys.refresh() }
            let seconds = max(keys.secondsToExpiry, Self.retrySeconds)
            try? await Task.sleep(for: .seconds(seconds))
        }
    }

    /// The trusted issuers, for whoever signs in by their ID tokens; the keys are these.
    func identityProviders(_ tokens: TokenSettings) -> [IdentityProvider] {
        tokens.issuers.compactMap { settings in
            let owner = KeyOwner.issuer(settings.trusted.issuer)
            return sources.first { $0.owner == owner }.map { source in
                IdentityProvider(
                    name: settings.name,
                    issuers: [settings.trusted.issuer],
                    audiences: settings.trusted.audiences,
                    keys: source.keys
                )
            }
        }
    }
}

extension TokenSettings {
    /// Whose public keys are where.
    var keyPlaces: [(owner: KeyOwner, place: PublishedKeys.Place)] {
        var places: [(KeyOwner, PublishedKeys.Place)] = []
        switch keys {
        case .file(let path): places.append((.server, .file(path)))
        case .url(let url): places.append((.server, .url(url)))
        case nil: break
        }
        return places + issuers.map { (.issuer($0.trusted.issuer), $0.keys) }
    }
}

extension KeyOwner {
    fileprivate var name: String {
        switch self {
        case .server: "JWT_JWKS"
        case .issuer(let name): name
        }
    }

    /// The setting that they come from.
    var setting: String {
        switch self {
        case .server: "JWT_JWKS"
        case .issuer(let name): "JWT_ISSUERS \(name)"
        }
    }
}
