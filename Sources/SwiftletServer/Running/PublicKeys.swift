import Auth
import Logging
import Outbound
import SignIn

/// Keeps the verifier's public keys up to date: reads them at start-up and on SIGHUP, fetches them again when they
/// expire, and when a token names an unknown key.
struct PublicKeys: Sendable {
    private let sources: [Source]
    private let logger: Logger

    struct Source: Sendable {
        let owner: KeyOwner
        let keys: PublishedKeys
    }

    /// Until the first keys are loaded, every token of that issuer is refused, so retry more often.
    private static let retrySeconds = 5

    init(_ tokens: TokenSettings, for verifier: TokenVerifier, _ http: HTTPEngine, _ logger: Logger) {
        self.logger = logger
        sources = tokens.keyPlaces.map { owner, place in
            let keys = PublishedKeys(
                place,
                http,
                onKeys: { keys in
                    verifier.replaceKeys(keys, of: owner)
                    logger.debug(
                        "public keys loaded",
                        metadata: ["count": "\(keys.keys.count)", "of": "\(owner.setting)"]
                    )
                },
                onFailure: { failure in
                    logger.error("public keys not loaded", metadata: ["cause": "\(failure)", "of": "\(owner.setting)"])
                }
            )
            return Source(owner: owner, keys: keys)
        }
    }

    /// Reads the keys in files; URLs are fetched later. Blocks. Throws one fault per file that cannot be read.
    static func readFiles(_ tokens: TokenSettings, into verifier: TokenVerifier) throws(ConfigurationError) {
        var faults: [String] = []
        for (owner, place) in tokens.keyPlaces {
            guard case .file(let path) = place else { continue }
            do throws(PublishedKeys.Failure) {
                verifier.replaceKeys(try PublishedKeys.read(file: path), of: owner)
            } catch {
                faults.append("\(owner.setting): \(error)")
            }
        }
        guard faults.isEmpty else { throw ConfigurationError(faults) }
    }

    /// Fetches all keys again. If that fails, the old ones stay.
    func reload() async {
        await withTaskGroup { group in
            for source in sources { group.addTask { _ = await source.keys.refresh() } }
        }
    }

    /// Fetches the owner's keys for a token with an unknown key; returns within two seconds whether there are new ones.
    func refresh(_ owner: KeyOwner) async -> Bool {
        guard let source = sources.first(where: { $0.owner == owner }) else { return false }
        return await source.keys.refreshAfterMiss()
    }

    /// Fetches keys again when they expire, until the task is cancelled.
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

    /// The issuers of `JWT_ISSUERS`, as providers of ID tokens to sign in with.
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

extension KeyOwner {
    /// The setting that names their place.
    var setting: String {
        switch self {
        case .server: "JWT_JWKS"
        case .issuer(let name): "JWT_ISSUERS \(name)"
        }
    }
}

extension TokenVerifier {
    fileprivate func replaceKeys(_ keys: KeySet, of owner: KeyOwner) {
        switch owner {
        case .server: replaceKeys(keys)
        case .issuer(let name): replaceKeys(keys, of: name)
        }
    }
}
