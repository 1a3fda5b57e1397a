import Auth
import Foundation
import JSON
import Outbound

/// Where an issuer's public keys are, and how they are read from there.
struct KeySource: Sendable {
    typealias Failure = PublishedKeys.Failure

    let place: PublishedKeys.Place
    private let client: HTTPClient

    static let lifetimes = 60...86_400
    private static let defaultLifetime = 300

    init(_ place: PublishedKeys.Place, trust: Trust) {
        self.place = place
        var client = HTTPClient(trust: trust)
        client.maximumBodyBytes = KeySet.maximumBytes
        self.client = client
    }

    /// The keys, and for how many seconds they are valid. Blocks.
    func load() throws(Failure) -> (keys: KeySet, seconds: Int) {
        switch place {
        case .file(let path):
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Failure(description: "\(path) cannot be read")
            }
            return (try Self.parse(Array(data), of: path), Self.lifetimes.upperBound)
        case .url(let url):
            return try fetch(url)
        case .discovery(let issuer):
            return try fetch(try discover(issuer))
        }
    }

    /// OpenID Connect Discovery 1.0 §4: the document must name the same issuer.
    private func discover(_ issuer: String) throws(Failure) -> String {
        let url = "\(issuer.withoutTrailingSlash)/.well-known/openid-configuration"
        let body = try get(url).body
        guard let document = try? JSONParser.parse(body), let address = document["jwks_uri"]?.string else {
            throw Failure(description: "\(url) names no jwks_uri")
        }
        guard document["issuer"]?.string == issuer else {
            throw Failure(description: "\(url) is another issuer's: \(document["issuer"]?.string ?? "none named")")
        }
        // OpenID Connect Discovery 1.0 §3: https. Otherwise the document could point to a local port of this machine.
        guard address.hasPrefix("https://") || !issuer.hasPrefix("https://") else {
            throw Failure(description: "\(url) names a jwks_uri without https")
        }
        return address
    }

    private func fetch(_ url: String) throws(Failure) -> (keys: KeySet, seconds: Int) {
        let reply = try get(url)
        return (try Self.parse(reply.body, of: url), Self.lifetime(reply.header("Cache-Control")))
    }

    private func get(_ url: String) throws(Failure) -> OutboundResponse {
        let reply: OutboundResponse
        do throws(OutboundError) {
            reply = try client.send(.get(url, headers: [("Accept", "application/json")]))
        } catch {
            throw Failure(description: "\(url): \(error)")
        }
        guard reply.status == 200 else { throw Failure(description: "\(url) answers \(reply.status)") }
        return reply
    }

    private static func parse(_ bytes: [UInt8], of place: String) throws(Failure) -> KeySet {
        do throws(KeyError) {
            return try KeySet(jwks: bytes)
        } catch {
            throw Failure(description: "\(place) holds no usable keys: \(error)")
        }
    }

    /// `max-age` in seconds (RFC 9111 §5.2.2.1), within bounds.
    static func lifetime(_ cacheControl: String?) -> Int {
        for directive in (cacheControl ?? "").lowercased().split(separator: ",") {
            let words = directive.split(separator: "=", maxSplits: 1)
            guard words.count == 2, words[0].filter({ $0 != " " }) == "max-age" else { continue }
            let digits = words[1].filter { $0 != " " && $0 != "\"" }
            guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { continue }
            return min(max(Int(digits) ?? .max, lifetimes.lowerBound), lifetimes.upperBound)
        }
        return defaultLifetime
    }
}
