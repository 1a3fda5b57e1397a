import SwiftletPostgres

/// Finds accounts by id, number or a part of the address, each by an index: conditions joined by OR would read all.
struct UserSearch: Sendable {
    static let limit = 100

    private let text: String
    private let pattern: String
    /// A pattern for the digits of phone numbers; nil for what is none, or a part of nearly all.
    private let number: String?

    init(_ text: String) {
        let wanted = text.lowercased()
        self.text = wanted
        pattern = String(wanted.flatMap { "%_\\".contains($0) ? ["\\", $0] : [$0] })
        // As people write numbers.
        let digits = wanted.filter { !" +-()".contains($0) }
        let isNumber = digits.utf8.count >= 4 && digits.allSatisfy { $0.isASCII && $0.isNumber }
        number = isNumber ? "%\(digits)%" : nil
    }

    /// The accounts as JSON, the newest first. Those whose address begins so are enough where there are some, as they are
    /// found by any index; a part within it is looked for else, or where there is an index for it.
    func run(in transaction: Transaction) async throws -> String {
        guard !text.isEmpty else { return try await newest(in: transaction) }
        if try await hasIndexOfParts(in: transaction) { return try await find("%\(pattern)%", in: transaction) }
        let found = try await find("\(pattern)%", in: transaction)
        return found == "[]" ? try await find("%\(pattern)%", in: transaction) : found
    }

    private func newest(in transaction: Transaction) async throws -> String {
        try await transaction.json(
            """
            SELECT coalesce(json_agg(u), '[]') FROM (
                SELECT id, email, phone, role, created_at, last_sign_in_at, banned_until > now() AS banned,
                    coalesce(email_confirmed_at, phone_confirmed_at) IS NOT NULL AS confirmed,
                    coalesce(is_anonymous, false) AS anonymous,
                    raw_app_meta_data AS app_metadata, raw_user_meta_data AS user_metadata
                FROM auth.users ORDER BY created_at DESC, id LIMIT 100
            ) u
            """
        )
    }

    private func find(_ pattern: String, in transaction: Transaction) async throws -> String {
        let id = isIdentifier ? text : nil
        return try await transaction.json(
            """
            SELECT coalesce(json_agg(u), '[]') FROM (
                SELECT id, email, phone, role, created_at, last_sign_in_at, banned_until > now() AS banned,
                    coalesce(email_confirmed_at, phone_confirmed_at) IS NOT NULL AS confirmed,
                    coalesce(is_anonymous, false) AS anonymous,
                    raw_app_meta_data AS app_metadata, raw_user_meta_data AS user_metadata
                FROM (
                    (SELECT id AS found FROM auth.users WHERE lower(email) LIKE \(pattern)
                        ORDER BY created_at DESC, id LIMIT 100)
                    UNION (SELECT id FROM auth.users WHERE \(number != nil)::boolean AND phone::text LIKE \(number)
                        ORDER BY created_at DESC, id LIMIT 100)
                    UNION SELECT id FROM auth.users WHERE id = \(id)::uuid
                ) ids CROSS JOIN LATERAL (SELECT * FROM auth.users WHERE id = found LIMIT 1) account
                ORDER BY created_at DESC, id LIMIT 100
            ) u
            """
        )
    }

    private func hasIndexOfParts(in transaction: Transaction) async throws -> Bool {
        try await transaction.json("SELECT to_regclass('auth.users_email_parts_idx') IS NOT NULL AS found") == "t"
    }

    /// A whole UUID as PostgreSQL prints it.
    private var isIdentifier: Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return false }
        return bytes.enumerated().allSatisfy { index, byte in
            [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
        }
    }
}
