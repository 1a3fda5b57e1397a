/// What a link that enters once ends with. Only its hash is kept.
package struct ConsoleEntry: Sendable {
    package let token: String
    /// Of ``insertion``.
    package let parameters: [String?]

    package static func make(role: Operator.Role) throws -> ConsoleEntry {
        let token = try EntryToken.make(bytes: 16)
        return ConsoleEntry(token: token.text, parameters: [try token.hash, role.rawValue])
    }

    package static let insertion = """
        INSERT INTO swiftlet.console_entries (token_hash, role, expires_at)
        VALUES ($1, $2, clock_timestamp() + interval '5 minutes')
        """
}
