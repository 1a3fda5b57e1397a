import SwiftletJSON

/// Whom a mail is written for: what texts in other languages, and templates, need of an account.
struct MailReader: Sendable {
    /// The account's language tags, most exact first, such as `pt-br`, `pt`; empty if it has none.
    let languages: [String]
    /// The account's address, which is not the recipient's while a change of it is confirmed.
    let email: String
    let newEmail: String
    /// `user_metadata`.
    let data: JSONObject

    static let unknown = MailReader(languages: [], email: "", newEmail: "", data: [:])

    private init(languages: [String], email: String, newEmail: String, data: JSONObject) {
        self.languages = languages
        self.email = email
        self.newEmail = newEmail
        self.data = data
    }

    /// The language is `locale` in `user_metadata`, as providers write it, or else `language`.
    init(_ account: Account) {
        let data = account.storedUserMetadata
        let tag = ["locale", "language"].lazy.compactMap { data[$0]?.string }.first { !$0.isEmpty }
        self.init(
            languages: tag.map(Self.tags) ?? [],
            email: account.email,
            newEmail: account.newEmail ?? "",
            data: data
        )
    }

    /// `de_AT.UTF-8` → `de-at`, `de` (RFC 4647 §3.4); empty for text that is no tag.
    static func tags(_ text: String) -> [String] {
        let text = text.prefix { $0 != "." && $0 != "@" }.prefix(35).lowercased().replacing("_", with: "-")
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({ part in
                (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            })
        else { return [] }
        var tags: [String] = []
        while !parts.isEmpty {
            tags.append(parts.joined(separator: "-"))
            parts.removeLast()
        }
        return tags
    }
}
