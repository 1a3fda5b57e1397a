import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletWeb
import Synchronization

/// The endpoints of an OpenID Connect issuer: those that it has published for good, else by discovery (OpenID Connect
/// Discovery 1.0 §4), kept for an hour.
final class OpenIDIssuer: Sendable {
    let issuer: String
    /// Whether the document may name another issuer, as Microsoft's for all tenants does.
    private let isForManyTenants: Bool
    private let published: Endpoints?
    private let calls: ProviderCalls
    private let clock: ServerClock
    private let known = Mutex<(endpoints: Endpoints, expires: UInt64)?>(nil)

    private static let lifetime: UInt64 = 3600 * 1_000_000_000

    struct Endpoints: Sendable {
        let authorization: String
        let token: String
        /// Where claims are that the ID token leaves out.
        let userInfo: String?
        /// RFC 7009.
        let revocation: String?
        /// Whether the client's secret belongs into the form instead of the header.
        let takesSecretInForm: Bool
        /// Whether it knows PKCE.
        let takesChallenge: Bool
    }

    init(
        _ issuer: String,
        isForManyTenants: Bool = false,
        published: Endpoints? = nil,
        _ http: HTTPEngine,
        clock: ServerClock = .system
    ) {
        self.issuer = issuer
        self.published = published
        self.isForManyTenants = isForManyTenants
        calls = ProviderCalls(http)
        self.clock = clock
    }

    func endpoints() async throws(ProviderCalls.Failure) -> Endpoints {
        if let published { return published }
        let now = clock.nanoseconds()
        if let known = known.withLock({ $0 }), now < known.expires { return known.endpoints }
        let endpoints = try await discover()
        known.withLock { $0 = (endpoints, now &+ Self.lifetime) }
        return endpoints
    }

    private func discover() async throws(ProviderCalls.Failure) -> Endpoints {
        let url = "\(issuer.withoutTrailingSlash)/.well-known/openid-configuration"
        let document = try await calls.get(url)
        let named = document["issuer"]?.string
        guard isForManyTenants || named?.withoutTrailingSlash == issuer.withoutTrailingSlash else {
            throw ProviderCalls.Failure(description: "\(url) is another issuer's: \(named ?? "none named")")
        }
        let methods = document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        return Endpoints(
            authorization: try Self.endpoint("authorization_endpoint", document, url),
            token: try Self.endpoint("token_endpoint", document, url),
            userInfo: document["userinfo_endpoint"] == nil
                ? nil : try Self.endpoint("userinfo_endpoint", document, url),
            revocation: document["revocation_endpoint"] == nil
                ? nil : try Self.endpoint("revocation_endpoint", document, url),
            takesSecretInForm: methods?.contains("client_secret_post") ?? false,
            takesChallenge: document["code_challenge_methods_supported"]?.array?.contains { $0.string == "S256" }
                ?? false
        )
    }

    /// §3: https. Otherwise the document could lead us to a local port of this machine.
    private static func endpoint(
        _ name: String,
        _ document: JSONValue,
        _ url: String
    ) throws(ProviderCalls.Failure) -> String {
        guard let address = document[name]?.string, ProviderCalls.isSafe(address),
            address.hasPrefix("https://") || !url.hasPrefix("https://")
        else { throw ProviderCalls.Failure(description: "\(url) names no usable \(name)") }
        return address
    }
}
