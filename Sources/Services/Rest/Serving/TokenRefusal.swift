import SwiftletAuth
import SwiftletBytes
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

    /// For a genuine token with a claim of a wrong type; nil for all others.
    static func wrongType(in payload: [UInt8]) -> RestError? {
        guard isSuspicious(payload), let claims = try? JSONParser.parse(payload) else { return nil }
        return wrongClaim(in: claims).map(refused)
    }

    /// nil where there is no token, not even an empty one.
    var refusal: RestError? {
        switch error {
        case .missing: token.map { _ in Self.undecodable("Empty JWT is sent in Authorization header") }
        case .malformed: malformed
        case .unsupportedAlgorithm: Self.undecodable("Wrong or unsupported encoding algorithm")
        case .unknownKey: Self.undecodable(Self.noKey, "No suitable key was found to decode the JWT")
        case .badSignature: Self.undecodable(Self.noKey, "None of the keys was able to decode the JWT")
        case .expired: Self.refused("JWT expired")
        case .notYetValid: Self.refused("JWT not yet valid")
        case .wrongAudience: Self.refused("JWT not in audience")
        case .invalidClaims: Self.refused(wrongClaim ?? "Parsing claims failed")
        default: Self.undecodable("\(error)")
        }
    }

    private static let noKey = "No suitable key or wrong key type"

    private var malformed: RestError {
        let count = (token ?? "").split(separator: ".", omittingEmptySubsequences: false).count
        if count != 3 { return Self.undecodable("Expected 3 parts in JWT; got \(count)") }
        // The signature is right, the claims are none.
        return wrongClaim.map(Self.refused) ?? Self.undecodable("JWT cryptographic operation failed")
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

    /// Whether something called `iat` is no number, or `aud` no string: seen without parsing, as every request has a token.
    private static func isSuspicious(_ payload: [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        var index = 0
        while index + 5 < payload.count {
            defer { index += 1 }
            guard payload[index] == quote, payload[index + 4] == quote else { continue }
            let name = payload[(index + 1)..<(index + 4)]
            let isTime = name.elementsEqual("iat".utf8)
            guard isTime || name.elementsEqual("aud".utf8) else { continue }
            let value = payload[(index + 5)...].first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") } ?? quote
            if isTime ? value == quote || value > UInt8(ascii: "9") : value != quote { return true }
        }
        return false
    }

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
