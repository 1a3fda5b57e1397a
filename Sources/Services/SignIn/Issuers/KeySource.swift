import SwiftletAuth
import SwiftletEssentials
import SwiftletJSON
import SwiftletOutbound

/// Where an issuer's public keys are, and how they are read from there.
struct KeySource: Sendable {
    typealias Failure = PublishedKeys.Failure

    let place: PublishedKeys.Place
    private let http: HTTPEngine

    static let lifetimes = 60...86_400
    private static let defaultLifetime = 300
    private static let timeout = Duration.seconds(10)
    private static let maximumRedirects = 3

    init(_ place: PublishedKeys.Place, _ http: HTTPEngine) {
        self.place = place
        self.http = http
    }

    /// The keys, and for how many seconds they are valid.
    func load() async throws(Failure) -> (keys: KeySet, seconds: Int) {
        switch place {
        case .file(let path): (try Self.read(path), Self.lifetimes.upperBound)
        case .url(let url): try await fetch(url)
        case .discovery(let issuer): try await fetch(try await discover(issuer))
        }
    }

    static func read(_ path: String) throws(Failure) -> KeySet {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(description: "\(path) cannot be read")
        }
        return try parse(Array(data), of: path)
    }

    /// OpenID Connect Discovery 1.0 §4: the document must name the same issuer.
    private func discover(_ issuer: String) async throws(Failure) -> String {
        let url = "\(issuer.withoutTrailingSlash)/.well-known/openid-configuration"
        let body = try await get(url).body
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

    private func fetch(_ url: String) async throws(Failure) -> (keys: KeySet, seconds: Int) {
        let reply = try await get(url)
        return (try Self.parse(reply.body, of: url), Self.lifetime(reply.header("Cache-Control")))
    }

    private func get(_ url: String) async throws(Failure) -> HTTPResponse {
        var request = HTTPRequest("GET", url, headers: [("Accept", "application/json")])
        request.timeout = Self.timeout
        request.maximumBodyBytes = KeySet.maximumBytes
        request.redirects = Self.maximumRedirects
        guard let address = try? WebAddress(url), address.isSecure || address.isLoopback else {
            throw Failure(description: "\(url): the address must begin with https, but for this machine's own")
        }
        let reply: HTTPResponse
        do throws(HTTPFailure) {
            reply = try await http.send(request)
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
