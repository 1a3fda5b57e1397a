import SwiftletBytes
import SwiftletJSON
import SwiftletPostgres

/// A passkey of an account: a row of `auth.webauthn_credentials`.
struct Passkey: Sendable {
    let id: String
    let credentialID: [UInt8]
    /// nil if the key cannot be read, as one that another server has stored in its own way: nobody signs in with it.
    let credential: RelyingParty.KnownCredential?
    let transports: [String]
    let name: String
    private let createdAt: String
    private let lastUsedAt: String?

    /// Reads a row of ``columns``.
    init(_ row: Row) throws {
        let credentialID = row["credential_id"].flatMap { Hexadecimal.decode($0) } ?? []
        self.credentialID = credentialID
        id = try row.decode(String.self, "id")
        let counter = try row.decode(Int.self, "sign_count")
        let isBackupEligible = try row.decode(Bool.self, "backup_eligible")
        let key = row["public_key"].flatMap { Hexadecimal.decode($0) }.flatMap { try? CredentialKey($0) }
        credential = key.map { key in
            RelyingParty.KnownCredential(
                id: credentialID,
                key: key,
                counter: counter,
                isBackupEligible: isBackupEligible
            )
        }
        transports =
            try row["transports"].map { try JSONParser.parse(Array($0.utf8)) }?.array?.compactMap(\.string) ?? []
        name = row["friendly_name"] ?? ""
        createdAt = row["created_at"] ?? ""
        lastUsedAt = row["last_used_at"]
    }

    static let columns: SQL = """
        k.id::text AS id, k.user_id::text AS user_id, encode(k.credential_id, 'hex') AS credential_id,
        encode(k.public_key, 'hex') AS public_key, k.sign_count, k.transports::text AS transports, k.backup_eligible,
        k.friendly_name, to_json(k.created_at) #>> '{}' AS created_at, to_json(k.last_used_at) #>> '{}' AS last_used_at
        """

    /// The passkey object of `/auth/v1`.
    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            if !name.isEmpty { json.member("friendly_name", name) }
            json.member("created_at", Account.time(createdAt))
            if let lastUsedAt { json.member("last_used_at", Account.time(lastUsedAt)) }
        }
    }

    /// How browsers name it in options.
    var descriptor: JSONValue { .descriptor(credentialID, transports) }
}

extension JSONValue {
    /// A credential in options, with how it is reached if that is known.
    static func descriptor(_ id: [UInt8], _ transports: [String]) -> JSONValue {
        var object: JSONObject = ["type": "public-key", "id": .string(Base64URL.encode(id.span))]
        if !transports.isEmpty { object["transports"] = .array(transports.map(JSONValue.string)) }
        return .object(object)
    }
}
