/// A filter by what another table calls the row that a foreign key leads to.
struct NameFilter: Hashable, Sendable {
    /// SQL over `t`, up to the parameter: a list of ``normal(_:)`` names.
    let condition: String

    /// `Closed Won` → `closed_won`.
    static func normal(_ name: some StringProtocol) -> String {
        String(name.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}

/// A filter by the word that rows show.
struct WordFilter: Hashable, Sendable {
    /// SQL over `t`, up to the parameter: a list of stored words.
    let condition: String
}
