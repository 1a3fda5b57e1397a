import Auth
import Foundation
import Logging
import Outbound

/// Keeps the verifier's public keys fresh: read at the start, on SIGHUP, and from a URL every five minutes, so that a
/// rotated key is known before the old one is gone.
struct PublicKeys: Sendable {
    private let source: TokenSettings.KeySource
    private let verifier: TokenVerifier
    private let logger: Logger

    private static let interval = Duration.seconds(300)
    /// While none could be loaded yet, every token of that kind is refused: try more often.
    private static let retryInterval = Duration.seconds(5)

    init(_ source: TokenSettings.KeySource, for verifier: TokenVerifier, _ logger: Logger) {
        self.source = source
        self.verifier = verifier
        self.logger = logger
    }

    static func read(_ source: TokenSettings.KeySource) throws(ConfigurationError) -> KeySet {
        switch source {
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw ConfigurationError(["JWT_JWKS: \(path) cannot be read"])
            }
            return try parse(Array(data), of: path)
        case .url(let url):
            do {
                var client = HTTPClient()
                client.maximumBodyBytes = KeySet.maximumBytes
                let answer = try client.send(.get(url))
                guard answer.status == 200 else {
                    throw ConfigurationError(["JWT_JWKS: \(url) answers \(answer.status)"])
                }
                return try parse(answer.body, of: url)
            } catch let error as ConfigurationError {
                throw error
            } catch {
                throw ConfigurationError(["JWT_JWKS: \(url): \(error)"])
            }
        }
    }

    private static func parse(_ bytes: [UInt8], of place: String) throws(ConfigurationError) -> KeySet {
        do throws(KeyError) {
            return try KeySet(jwks: bytes)
        } catch {
            throw ConfigurationError(["JWT_JWKS: \(place) holds no usable keys: \(error)"])
        }
    }

    /// Old keys stay when the new ones cannot be had. True when it worked.
    @discardableResult
    func reload() async -> Bool {
        let source = source
        do {
            let keys = try await blocking { try Self.read(source) }
            verifier.replaceKeys(keys)
            logger.debug("public keys loaded", metadata: ["count": "\(keys.keys.count)"])
            return true
        } catch {
            logger.error("public keys not loaded", metadata: ["cause": "\(error)"])
            return false
        }
    }

    /// Until cancelled.
    func keepFresh() async {
        guard case .url = source else { return }
        var isLoaded = await reload()
        while !Task.isCancelled {
            try? await Task.sleep(for: isLoaded ? Self.interval : Self.retryInterval)
            guard !Task.isCancelled else { return }
            isLoaded = await reload() || isLoaded
        }
    }
}
