import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// An account: a row of `auth.users` with its identities, and the row of `public.users` with the same id.
struct Account: Sendable {
    let id: String
    /// All columns of `auth.users` as JSON, except the password hash.
    let row: JSONObject
    let identities: [JSONObject]
    /// Oldest first.
    var factors: [Factor] = []
    let profile: Profile?
    /// nil or empty for accounts without a password.
    let passwordHash: String?
    /// Whether there is a ban that has not expired.
    let isBanned: Bool

    var email: String { text("email") ?? "" }
    var phone: String { text("phone") ?? "" }
    var audience: String { text("aud") ?? "" }
    var role: String { text("role") ?? "" }
    var isAnonymous: Bool { row["is_anonymous"]?.bool ?? false }
    var isDeleted: Bool { text("deleted_at") != nil }
    /// Whether somebody has proved to own the address or the number; not necessarily who knows the password.
    var isConfirmed: Bool { isEmailConfirmed || isPhoneConfirmed }
    var isEmailConfirmed: Bool { text("email_confirmed_at") != nil }
    var isPhoneConfirmed: Bool { text("phone_confirmed_at") != nil }

    /// Whether somebody has proved to own the address: a provider vouches for it, or a mail to it was answered. Where
    /// `isConfirmedUnasked`, whoever types an address confirms it, which proves nothing.
    func hasProvenEmail(isConfirmedUnasked: Bool) -> Bool {
        guard isEmailConfirmed else { return false }
        func vouches(_ identity: JSONObject) -> Bool? { identity["identity_data"]?["email_verified"]?.bool }
        let isVouchedFor = identities.contains { identity in
            identity["provider"]?.string != "email" && vouches(identity) == true
                && identity["identity_data"]?["email"]?.string?.lowercased() == email.lowercased()
        }
        if isVouchedFor { return true }
        // Other servers leave the word out.
        let isAnswered = identities.first { $0["provider"]?.string == "email" }.flatMap(vouches) ?? true
        return isAnswered && !isConfirmedUnasked
    }

    /// Whether the number counts as confirmed, and nobody has proved to own it: whoever typed it has signed up.
    var hasUnprovenPhone: Bool {
        isPhoneConfirmed
            && identities.contains { identity in
                identity["provider"]?.string == "phone" && identity["identity_data"]?["phone_verified"]?.bool == false
            }
    }

    /// Whether a second factor is needed for `aal2`.
    var hasVerifiedFactor: Bool { factors.contains(where: \.isVerified) }

    /// The new address that is not confirmed yet.
    var newEmail: String? { text("email_change").flatMap { $0.isEmpty ? nil : $0 } }
    /// The new number that is not confirmed yet.
    var newPhone: String? { text("phone_change").flatMap { $0.isEmpty ? nil : $0 } }
    /// `raw_app_meta_data` as stored.
    var isInvited: Bool { text("invited_at")?.isEmpty == false }

    var storedAppMetadata: JSONObject { row["raw_app_meta_data"]?.object ?? [:] }
    /// `raw_user_meta_data` as stored.
    var storedUserMetadata: JSONObject { row["raw_user_meta_data"]?.object ?? [:] }

    /// `app_metadata` in tokens and responses. Tenant, role and team come from ``profile`` if there is one; every name
    /// is written in snake_case and camelCase.
    var appMetadata: JSONObject {
        var metadata = storedAppMetadata
        profile?.replaceRights(in: &metadata)
        return MetadataAliases.completing(metadata)
    }

    /// `user_metadata` in tokens and responses. It never grants rights.
    var userMetadata: JSONObject {
        var metadata = MetadataAliases.repairing(storedUserMetadata)
        profile?.addName(to: &metadata)
        return metadata
    }

    /// Whether it may have sessions.
    var isActive: Bool { !isBanned && !isDeleted && profile?.isActive ?? true }

    /// Throws ``SignInError`` 400 `user_banned` if this account must not get a session.
    func admit() throws(SignInError) {
        guard isActive else { throw SignInError.banned }
    }

    func text(_ column: String) -> String? { row[column]?.string }
}

extension Account {
    /// Reads a row of ``AccountSQL/columns``; nil if an outer join found no account.
    init?(_ sqlRow: Row) throws {
        guard let text = sqlRow["account"], let row = try JSONParser.parse(Array(text.utf8)).object,
            let id = row["id"]?.string
        else { return nil }
        self.id = id
        self.row = row
        identities =
            try sqlRow["identities"].map { try JSONParser.parse(Array($0.utf8)) }?.array?
            .compactMap(\.object) ?? []
        factors =
            try sqlRow["factors"].map { try JSONParser.parse(Array($0.utf8)) }?.array?
            .compactMap(Factor.init) ?? []
        profile = try sqlRow["profile"].flatMap { Profile(try JSONParser.parse(Array($0.utf8))) }
        passwordHash = sqlRow["hash"]
        isBanned = try sqlRow.decode(Bool.self, "banned")
    }
}
