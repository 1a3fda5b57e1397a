import SwiftletJSON

/// What the token of a link allows: one object, to read or to make.
struct FileLink {
    enum Scope: String {
        case download
        case upload
    }

    let url: String
    let scope: Scope
    /// Seconds since 1970.
    let expires: Int
    /// Whom an upload makes the owner.
    var owner: String?
    var isUpsert = false
    /// How the object is to be rendered; nil for the object as it is.
    var transformation: ImageOptions?

    /// Throws ``FilesError`` unless the token is for this object and this purpose.
    init(
        _ token: String?,
        _ keys: LinkKeys,
        bucket: String,
        _ name: ObjectName,
        _ scope: Scope,
        now: Int
    ) throws(FilesError) {
        guard let token, !token.isEmpty else { throw .badRequest("querystring must have required property 'token'") }
        try self.init(claims: keys.read(token, now: now), scope)
        guard url == "\(bucket)/\(name.text)" else { throw .badSignature("Invalid signature") }
    }

    /// Of an upload in several requests, each of which has the token in a header. Whoever calls checks ``url``.
    init(upload token: String?, _ keys: LinkKeys, now: Int) throws(FilesError) {
        guard let token, !token.isEmpty else { throw .badRequest("Missing x-signature header") }
        try self.init(claims: keys.read(token, now: now), .upload)
    }

    private init(claims: JSONObject, _ scope: Scope) throws(FilesError) {
        // Old tokens say no scope.
        let stated = claims["scope"]?.string ?? (claims["upsert"] == nil ? Scope.download : .upload).rawValue
        guard stated == scope.rawValue else { throw .badSignature("Token is not scoped for \(scope.rawValue)") }
        guard let url = claims["url"]?.string else { throw .badSignature("Invalid signature") }
        self.url = url
        self.scope = scope
        expires = claims["exp"]?.double.map { Int(min($0, 0x1p52)) } ?? 0
        owner = claims["owner"]?.string
        isUpsert = claims["upsert"]?.bool ?? false
        // Older links of Supabase say the format beside the others.
        if let text = claims["transformations"]?.string, !text.isEmpty {
            let all = claims["format"]?.string.map { "\(text),format:\($0)" } ?? text
            guard let options = ImageOptions(claim: all) else { throw .badSignature("Invalid transformations") }
            transformation = options
        }
    }

    init(url: String, _ scope: Scope, expires: Int) {
        self.url = url
        self.scope = scope
        self.expires = expires
    }

    func claims(issuedAt now: Int) -> JSONObject {
        var claims: JSONObject = ["url": .string(url), "scope": .string(scope.rawValue)]
        if scope == .upload {
            if let owner { claims["owner"] = .string(owner) }
            claims["upsert"] = .bool(isUpsert)
        }
        if let transformation { claims["transformations"] = .string(transformation.claim) }
        claims["iat"] = JSONValue(now)
        claims["exp"] = JSONValue(expires)
        return claims
    }
}
