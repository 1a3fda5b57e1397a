import Auth

/// How tokens are verified.
struct TokenSettings: Sendable {
    let secret: Secret?
    let keys: KeySource?
    let issuers: [IssuerSettings]
    let anonymousKey: Secret?
    let serviceKey: Secret?

    /// Where public keys come from.
    enum KeySource: Equatable, Sendable {
        case file(String)
        case url(String)
    }

    /// Refuses a secret that is too short or missing.
    init(_ reader: inout SettingsReader) {
        let name = reader.text("JWT_SECRET") == nil ? "SUPABASE_JWT_SECRET" : "JWT_SECRET"
        let text = reader.text(name)
        if let text, text.utf8.count < Self.minimumSecretBytes {
            reader.refuse("\(name) is shorter than \(Self.minimumSecretBytes) bytes: make one with: swiftlet keys")
        }
        keys = reader.read("JWT_JWKS", default: nil, accepted: "a file path or an https URL") { text in
            if text.hasPrefix("https://") || Self.isLocal(text) { return .url(text) }
            return text.contains("://") ? nil : .file(text)
        }
        issuers = IssuerSettings.list(&reader)
        let others = ["JWT_JWKS", "JWT_ISSUERS", "JWT_SIGNING_KEY"]
        if text == nil, others.allSatisfy({ reader.text($0) == nil }) {
            reader.refuse("JWT_SECRET is missing (and no JWT_JWKS or JWT_ISSUERS is set): make one with: swiftlet keys")
        }
        secret = text.map { Secret($0) }
        anonymousKey = reader.text("SUPABASE_ANON_KEY").map { Secret($0) }
        serviceKey = reader.text("SUPABASE_SERVICE_ROLE_KEY").map { Secret($0) }
        // The anonymous key is public, while the service key grants everything.
        if let key = reader.text("SUPABASE_ANON_KEY"), key == reader.text("SUPABASE_SERVICE_ROLE_KEY") {
            reader.refuse("SUPABASE_SERVICE_ROLE_KEY is the same as SUPABASE_ANON_KEY: make two with: swiftlet keys")
        }
    }

    /// Plain http is for this machine only.
    static func isLocal(_ url: String) -> Bool {
        ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { base in
            url.hasPrefix(base) && [nil, ":", "/"].contains(url.dropFirst(base.count).first)
        }
    }

    /// RFC 7518 §3.2: a key for HS256 has at least the size of the hash.
    static let minimumSecretBytes = 32
}
