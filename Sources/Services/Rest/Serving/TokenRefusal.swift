import SwiftletAuth
import SwiftletBytes
import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// Says why a token is refused, in PostgREST's words and codes (its manual, "Errors", group 3).
struct TokenRefusal {
    private let token: String?
    private let error: TokenError

    init(_ error: TokenError, of request: Request) {
        self.error = error
        let field = request.header("Authorization").flatMap(Self.bearer)
        token = field.flatMap { $0.isEmpty ? nil : $0 } ?? request.header("apikey") ?? field
    }

    /// For a request whose token is empty; nil for one with a token, or without any.
    static func emptyToken(of request: Request) -> RestError? {
        let refusal = TokenRefusal(.missing, of: request)
        return refusal.token?.isEmpty == true ? refusal.refusal : nil
    }

    /// nil where there is no token, not even an empty one.
    var refusal: RestError? {
        switch error {
        case .missing: token.map { _ in Self.undecodable("Empty JWT is sent in Authorization header") }
        case .malformed: malformed
        case .unsupportedAlgorithm: Self.undecodable(Self.wrongAlgorithm, isUnsecured ? Self.unsecured : nil)
        case .unknownKey: Self.undecodable(Self.noKey, "No suitable key was found to decode the JWT")
        case .badSignature: Self.undecodable(Self.noKey, "None of the keys was able to decode the JWT")
        case .expired: Self.refused("JWT expired")
        case .notYetValid: Self.refused("JWT not yet valid")
        case .wrongAudience: Self.refused("JWT not in audience")
        case .invalidClaims: Self.refused(wrongClaim ?? "Parsing claims failed")
        default: Self.undecodable("\(error)")
        }
    }

    private static let wrongAlgorithm = "Wrong or unsupported encoding algorithm"
    private static let unsecured = "JWT is unsecured but expected 'alg' was not 'none'"
    private static let noKey = "No suitable key or wrong key type"

    private var malformed: RestError {
        let count = (token ?? "").split(separator: ".", omittingEmptySubsequences: false).count
        if count != 3 { return Self.undecodable("Expected 3 parts in JWT; got \(count)") }
        if isUnsecured { return Self.undecodable(Self.wrongAlgorithm, Self.unsecured) }
        // The signature is right, the claims are none.
        return wrongClaim.map(Self.refused) ?? Self.undecodable("JWT cryptographic operation failed")
    }

    /// The token says that nobody has signed it.
    private var isUnsecured: Bool {
        guard let header = (token ?? "").split(separator: ".").first,
            let members = Base64URL.decode(Array(header.utf8).span).flatMap({ try? JSONParser.parse($0) })
        else { return false }
        return members["alg"]?.string == "none"
    }

    /// Which claim has a wrong type.
    private var wrongClaim: String? {
        let parts = (token ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64URL.decode(Array(parts[1].utf8).span),
            let claims = try? JSONParser.parse(payload)
        else { return nil }
        return Self.wrongClaim(in: claims)
    }

    private static func wrongClaim(in claims: JSONValue) -> String? {
        for name in ["exp", "nbf", "iat"] {
            if let value = claims[name], !value.isNull, value.double == nil {
                return "The JWT '\(name)' claim must be a number"
            }
        }
        guard let audience = claims["aud"], !audience.isNull, audience.string == nil else { return nil }
        if let names = audience.array, names.allSatisfy({ $0.string != nil }) { return nil }
        return "The JWT 'aud' claim must be a string or an array of strings"
    }

    /// What only this service asks of claims that are genuine: when they were issued, and for whom. nil if they stand.
    static func refusal(of user: User, at now: Double = Date().timeIntervalSince1970) -> RestError? {
        if let issued = user.issuedAt, !issued.isNull {
            guard let time = issued.double else { return refused("The JWT 'iat' claim must be a number") }
            if time > now + clockSkew { return refused("JWT issued at future") }
        }
        if let audience = user.audience, !audience.isNull, audience.string == nil,
            audience.array?.allSatisfy({ $0.string != nil }) != true
        {
            return refused("The JWT 'aud' claim must be a string or an array of strings")
        }
        return nil
    }

    /// So many seconds may clocks differ.
    private static let clockSkew = 30.0

    private static func bearer(_ field: String) -> String? {
        let scheme = field.prefix(7).lowercased()
        guard scheme == "bearer " || scheme == "bearer" else { return nil }
        return String(field.dropFirst(7)).trimmingSpaces()
    }

    private static func undecodable(_ message: String, _ details: String? = nil) -> RestError {
        RestError(.unauthorized, "PGRST301", message, details: details).adding(.wwwAuthenticate, challenge(message))
    }

    private static func refused(_ message: String) -> RestError {
        RestError(.unauthorized, "PGRST303", message).adding(.wwwAuthenticate, challenge(message))
    }

    private static func challenge(_ message: String) -> String {
        "Bearer error=\"invalid_token\", error_description=\"\(message)\""
    }
}
