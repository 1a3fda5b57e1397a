import SwiftletBytes

/// The top-level claims that the server evaluates (RFC 7519 §4.1, and those of Supabase).
enum ClaimName: Int, KnownName {
    case subject, expires, notBefore, issuedAt, issuer, audience, role, tokenType, email, session, appMetadata,
        userMetadata
    case url, scope

    init?(_ name: borrowing Span<UInt8>) {
        switch name.count {
        case 3 where name.isText("sub"): self = .subject
        case 3 where name.isText("exp"): self = .expires
        case 3 where name.isText("nbf"): self = .notBefore
        case 3 where name.isText("iat"): self = .issuedAt
        case 3 where name.isText("iss"): self = .issuer
        case 3 where name.isText("aud"): self = .audience
        case 3 where name.isText("url"): self = .url
        case 4 where name.isText("role"): self = .role
        case 4 where name.isText("type"): self = .tokenType
        case 5 where name.isText("email"): self = .email
        case 5 where name.isText("scope"): self = .scope
        case 10 where name.isText("session_id"): self = .session
        case 12 where name.isText("app_metadata"): self = .appMetadata
        case 13 where name.isText("user_metadata"): self = .userMetadata
        default: return nil
        }
    }
}
