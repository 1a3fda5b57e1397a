internal import HTTP
internal import JSON
internal import Postgres

/// Somebody who may sign in: a row of `auth.users` with its identities, and what `public.users` says of the same id.
struct Account: Sendable {
    let id: String
    /// The row as JSON, whatever columns it has; without the password's hash.
    let row: JSONObject
    let identities: [JSONObject]
    let profile: Profile?
    /// nil and empty for people who sign in otherwise.
    let passwordHash: String?
    /// Whether the ban, if there is one, is still on.
    let isBanned: Bool

    var email: String { text("email") ?? "" }
    var phone: String { text("phone") ?? "" }
    var audience: String { text("aud") ?? "" }
    var role: String { text("role") ?? "" }
    var isAnonymous: Bool { row["is_anonymous"]?.bool ?? false }
    var isDeleted: Bool { text("deleted_at") != nil }
    var isConfirmed: Bool { text("email_confirmed_at") != nil || text("phone_confirmed_at") != nil }
    /// The new address that waits for its confirmation.
    var newEmail: String? { text("email_change").flatMap { $0.isEmpty ? nil : $0 } }
    /// `raw_app_meta_data` as stored.
    var storedAppMetadata: JSONObject { row["raw_app_meta_data"]?.object ?? [:] }
    /// `raw_user_meta_data` as stored.
    var storedUserMetadata: JSONObject { row["raw_user_meta_data"]?.object ?? [:] }

    /// As tokens and answers show it: where `public.users` knows this id, place and rights come from there. Every name
    /// stands in both spellings.
    var appMetadata: JSONObject {
        var metadata = storedAppMetadata
        profile?.replaceRights(in: &metadata)
        return BothSpellings.completing(metadata)
    }

    /// As tokens and answers show it. It never says anything about rights.
    var userMetadata: JSONObject {
        var metadata = storedUserMetadata
        profile?.addName(to: &metadata)
        return metadata
    }

    /// Throws what keeps this account from getting a session, though everything that was shown is right.
    func admit() throws(SignInError) {
        guard !isBanned, !isDeleted, profile?.isActive ?? true else {
            throw SignInError(.badRequest, "user_banned", "User is banned")
        }
    }

    func text(_ column: String) -> String? { row[column]?.string }
}

extension Account {
    /// Reads a row of ``AccountSQL/columns(_:)``; nil where the join found no account.
    init?(_ sqlRow: Row) throws {
        guard let text = sqlRow["account"], let row = try JSONParser.parse(Array(text.utf8)).object,
            let id = row["id"]?.string
        else { return nil }
        self.id = id
        self.row = row
        identities =
            try sqlRow["identities"].map { try JSONParser.parse(Array($0.utf8)) }?.array?
            .compactMap(\.object) ?? []
        profile = try sqlRow["profile"].flatMap { Profile(try JSONParser.parse(Array($0.utf8))) }
        passwordHash = sqlRow["hash"]
        isBanned = try sqlRow.decode(Bool.self, "banned")
    }
}
