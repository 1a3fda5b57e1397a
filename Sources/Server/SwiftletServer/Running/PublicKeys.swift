import SwiftletAuth
import Logging
import SwiftletOutbound
import SwiftletSignIn

/// Keeps the keys up to date: reads them at start-up and on SIGHUP, fetches public ones again when they expire, and when
/// a token names an unknown key.
struct PublicKeys: Sendable {
    private let tokens: TokenSettings
    private let signing: SigningKeys?
    private let sources: [Source]
    private let logger: Logger

    struct Source: Sendable {
        let owner: KeyOwner
        let keys: PublishedKeys
    }

    /// Until the first keys are loaded, every token of that issuer is refused, so retry more often.
    private static let retrySeconds = 5

    /// `signing` is nil if this server issues no tokens.
    init(
        _ tokens: TokenSettings,
        for verifier: TokenVerifier,
        _ signing: SigningKeys?,
        _ http: HTTPEngine,
        _ logger: Logger
    ) {
        self.tokens = tokens
        self.signing = signing
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

    /// Reads and fetches all keys again. Of those that fail, the old ones stay.
    func reload() async {
        await withTaskGroup { group in
            for source in sources { group.addTask { _ = await source.keys.refresh() } }
        }
        let kept = tokens.keptSettings.joined(separator: ", ")
        if !kept.isEmpty { logger.info("keys in settings stay until the restart", metadata: ["settings": "\(kept)"]) }
        // After the published ones, among which the former key is now: so it is never unknown.
        await reloadSigningKey()
    }

    private func reloadSigningKey() async {
        guard let signing else { return }
        do {
            guard let key = try await blocking({ try tokens.rereadSigningKey() }) else { return }
            try signing.replace(key, beside: try await blocking { tokens.keysInRotation(logger) })
            logger.debug("signing key loaded")
        } catch {
            // The server stops.
            if Task.isCancelled { return }
            logger.error("signing key not reloaded", metadata: ["cause": "\(error)"])
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
