import SwiftletBytes
import SwiftletAuth
import SwiftletJSON

extension Account {
    /// The user object of `/auth/v1`, with GoTrue's order of members. Dates keep their fraction and end in `Z`.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", id)
        json.member("aud", audience)
        json.member("role", role)
        json.member("email", email)
        writeTime("email_confirmed_at", to: &json)
        writeTime("invited_at", to: &json)
        json.member("phone", phone)
        for name in ["phone_confirmed_at", "confirmation_sent_at", "confirmed_at", "recovery_sent_at"] as [StaticString]
        {
            writeTime(name, to: &json)
        }
        writeChange("new_email", "email_change", to: &json)
        writeTime("email_change_sent_at", to: &json)
        writeChange("new_phone", "phone_change", to: &json)
        for name in ["phone_change_sent_at", "reauthentication_sent_at", "last_sign_in_at"] as [StaticString] {
            writeTime(name, to: &json)
        }
        json.member("app_metadata", .object(appMetadata))
        json.member("user_metadata", .object(userMetadata))
        if !factors.isEmpty {
            json.key("factors")
            json.beginArray()
            for factor in factors { factor.write(to: &json) }
            json.endArray()
        }
        json.key("identities")
        json.beginArray()
        for identity in identities { write(identity, to: &json) }
        json.endArray()
        // Clients require these two, but manually inserted rows may lack them.
        json.member("created_at", Self.time(text("created_at") ?? Self.epoch))
        json.member("updated_at", Self.time(text("updated_at") ?? text("created_at") ?? Self.epoch))
        writeTime("banned_until", to: &json)
        writeTime("deleted_at", to: &json)
        json.member("is_anonymous", isAnonymous)
        json.endObject()
    }

    /// The same object as a value, for hooks.
    func json() throws -> JSONObject {
        var json = JSONWriter(minimumCapacity: 1024)
        write(to: &json)
        return try JSONParser.parse(json.finish()).object ?? [:]
    }

    private func write(_ identity: JSONObject, to json: inout JSONWriter) {
        let provider = identity["provider"]?.string ?? ""
        let given = identity["id"]?.string ?? ""
        // Older tables have no separate id; theirs is the provider's.
        let subject = identity["provider_id"]?.string ?? given
        json.beginObject()
        json.member("identity_id", identity["provider_id"] == nil ? Self.identityID(provider, given) : given)
        json.member("id", subject)
        json.member("user_id", id)
        json.member("identity_data", identity["identity_data"] ?? .object([:]))
        json.member("provider", provider)
        for name in ["last_sign_in_at", "created_at", "updated_at"] as [StaticString] {
            guard let time = identity[name.description]?.string else { continue }
            json.key(name)
            json.write(Self.time(time))
        }
        if let email = identity["email"]?.string ?? identity["identity_data"]?["email"]?.string {
            json.member("email", email)
        }
        json.endObject()
    }

    private func writeTime(_ name: StaticString, to json: inout JSONWriter) {
        guard let time = text(name.description) else { return }
        json.key(name)
        json.write(Self.time(time))
    }

    private func writeChange(_ name: StaticString, _ column: String, to json: inout JSONWriter) {
        guard let text = text(column), !text.isEmpty else { return }
        json.key(name)
        json.write(text)
    }

    private static let epoch = "1970-01-01T00:00:00Z"

    /// Database sessions run in UTC.
    static func time(_ text: String) -> String {
        text.hasSuffix("+00:00") ? text.dropLast(6) + "Z" : text
    }

    /// A UUID for clients, always the same for the same identity.
    private static func identityID(_ provider: String, _ subject: String) -> String {
        let hash = (try? MessageDigest.sha256(Array("\(provider)\n\(subject)".utf8))) ?? []
        return UUIDText.text(hash)
    }
}
