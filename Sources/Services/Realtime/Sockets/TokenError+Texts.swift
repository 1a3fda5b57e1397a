import SwiftletAuth

/// What Supabase's server says of tokens: clients show it, and some look for it.
extension TokenError {
    /// As the reason of a channel's end.
    var channelText: String {
        switch self {
        case .expired, .ended: "Token has expired"
        case .invalidClaims, .notYetValid: "Fields `role` and `exp` are required in JWT"
        case .missing, .malformed, .tooLarge, .notAccessToken: "The token provided is not a valid JWT"
        case .badSignature, .unknownKey, .unsupportedAlgorithm, .wrongIssuer, .wrongAudience:
            "Failed to validate JWT signature"
        }
    }

    /// As the answer to a join.
    var joinRefusal: String {
        switch self {
        case .missing, .malformed, .tooLarge, .notAccessToken: "MalformedJWT: \(channelText)"
        case .badSignature, .unknownKey, .unsupportedAlgorithm, .wrongIssuer, .wrongAudience:
            "JwtSignatureError: \(channelText)"
        case .expired, .ended, .invalidClaims, .notYetValid: "InvalidJWTToken: \(channelText)"
        }
    }

    /// As the answer to the request for a socket.
    var socketText: String { self == .missing ? "API key is missing" : channelText }
}
