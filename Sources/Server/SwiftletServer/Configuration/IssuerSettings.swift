import SwiftletAuth
import SwiftletEssentials
import SwiftletJSON
import SwiftletSignIn

/// One entry of `JWT_ISSUERS`: a third-party issuer whose tokens are accepted.
///
/// ```json
/// [{"issuer": "https://securetoken.google.com/my-project", "audience": "my-project", "name": "firebase",
///   "jwks": "https://…/keys", "claims": {"tenant": "tenant_id", "role_level": "access.level", "role": "access.role"}}]
/// ```
///
/// `issuer` and `audience` (a string or a list) are required. `jwks` is an https URL or a file; without it, the keys
/// are found through `/.well-known/openid-configuration`. A claim is a path with dots or a list of names; a string with
/// a slash in it is a single name. Claims that are not configured are ignored.
struct IssuerSettings: Equatable, Sendable {
    let trusted: TrustedIssuer
    let keys: PublishedKeys.Place
    /// The value of `identities.provider` for users who sign in with its ID tokens.
    let name: String

    static let maximumEntries = 50

    /// Refuses invalid entries, with one line per fault that names the entry.
    static func list(_ reader: inout SettingsReader) -> [IssuerSettings] {
        guard let text = reader.text("JWT_ISSUERS") else { return [] }
        let start = text.first { !$0.isWhitespace }
        let bytes: [UInt8]
        if start == "[" || start == "{" {
            bytes = Array(text.utf8)
        } else {
            guard let data = FileManager.default.contents(atPath: text) else {
                reader.refuse("JWT_ISSUERS must be a JSON list, or a file with one that can be read")
                return []
            }
            bytes = Array(data)
        }
        let document = try? JSONParser.parse(bytes)
        guard let entries = document?.array ?? (document?.object).map({ [.object($0)] }),
            entries.count <= maximumEntries
        else {
            reader.refuse("JWT_ISSUERS must be a JSON list of up to \(maximumEntries) objects")
            return []
        }
        var list: [IssuerSettings] = []
        for (index, entry) in entries.enumerated() {
            do throws(Fault) {
                let settings = try IssuerSettings(entry)
                guard !list.contains(where: { $0.trusted.issuer == settings.trusted.issuer }) else {
                    throw Fault("issuer must occur once only")
                }
                guard !list.contains(where: { $0.name == settings.name }) else {
                    throw Fault("name must occur once only")
                }
                list.append(settings)
            } catch {
                let issuer = entry["issuer"]?.string.map { " (\($0.prefix(200)))" } ?? ""
                reader.refuse("JWT_ISSUERS entry \(index + 1)\(issuer): \(error.text)")
            }
        }
        return list
    }

    private struct Fault: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static let members = ["issuer", "audience", "jwks", "name", "claims"]
    private static let claims = ["tenant", "role_level", "role"]

    private init(_ entry: JSONValue) throws(Fault) {
        guard let object = entry.object else {
            throw Fault("must be an object with \(Self.members.joined(separator: ", "))")
        }
        try Self.refuseOthers(object, than: Self.members)
        guard let issuer = object["issuer"]?.string, !issuer.isEmpty,
            issuer.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw Fault("issuer must be the exact text of the claim iss, such as https://id.example.com") }
        keys = try Self.place(object["jwks"], issuer)
        name = try Self.name(object["name"], issuer)
        let claims = object["claims"] ?? .null
        guard claims.isNull || claims.object != nil else {
            throw Fault("claims must be an object with \(Self.claims.joined(separator: ", "))")
        }
        if let members = claims.object { try Self.refuseOthers(members, than: Self.claims) }
        trusted = TrustedIssuer(
            issuer: issuer,
            audiences: try Self.audiences(object["audience"]),
            tenant: try Self.path("tenant", in: claims),
            roleLevel: try Self.path("role_level", in: claims),
            role: try Self.path("role", in: claims)
        )
    }

    /// Refuses misspelt members, which would otherwise count as missing.
    private static func refuseOthers(_ object: JSONObject, than known: [String]) throws(Fault) {
        guard let other = object.keys.first(where: { !known.contains($0) }) else { return }
        throw Fault("\(other.prefix(50)) is not known; accepted are \(known.joined(separator: ", "))")
    }

    private static func audiences(_ value: JSONValue?) throws(Fault) -> [String] {
        let list = value?.string.map { [$0] } ?? value?.array?.compactMap(\.string) ?? []
        guard !list.isEmpty, list.allSatisfy({ !$0.isEmpty }), value?.array.map({ $0.count == list.count }) ?? true
        else {
            throw Fault("audience must be a text or a list of texts, of which a token names one in aud")
        }
        return list
    }

    private static func place(_ value: JSONValue?, _ issuer: String) throws(Fault) -> PublishedKeys.Place {
        guard let value, !value.isNull else {
            guard AddressSetting.isRequestable(issuer) else {
                throw Fault("jwks is missing: only an issuer that is an https URL tells by itself where its keys are")
            }
            return .discovery(issuer: issuer)
        }
        guard let text = value.string, !text.isEmpty, AddressSetting.isRequestable(text) || !text.contains("://") else {
            throw Fault("jwks must be an https URL without a user name, or a file")
        }
        return AddressSetting.isRequestable(text) ? .url(text) : .file(text)
    }

    private static func name(_ value: JSONValue?, _ issuer: String) throws(Fault) -> String {
        guard let value, !value.isNull else { return issuer }
        let isWord: (UInt8) -> Bool = { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        }
        guard let text = value.string, (1...50).contains(text.utf8.count), text.utf8.allSatisfy(isWord),
            !["apple", "google", "email", "phone", "anonymous_users"].contains(text)
        else {
            throw Fault("name must be of lower-case letters, digits, - and _, and none of apple, google, email, phone")
        }
        return text
    }

    private static func path(_ name: String, in claims: JSONValue) throws(Fault) -> ClaimPath? {
        guard let value = claims[name], !value.isNull else { return nil }
        let path =
            value.string.flatMap { ClaimPath($0) }
            ?? value.array.flatMap { list in
                let names = list.compactMap(\.string)
                return names.count == list.count ? ClaimPath(names: names) : nil
            }
        guard let path else { throw Fault("claims.\(name) must be a path such as access.\(name), or a list of names") }
        return path
    }
}
