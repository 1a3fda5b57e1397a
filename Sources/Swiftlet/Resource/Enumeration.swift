/// A closed vocabulary with its synonyms.
///
///     Enumeration("todo", "in_progress", "completed", synonyms: ["blocked": "in_progress", "done": "completed"])
///
/// Words are compared without case, and with spaces and hyphens read as underscores.
public struct Enumeration: Hashable, Sendable {
    /// The words that clients know, the first one standing for anything unknown in the database.
    public let words: [String]
    private let meanings: [String: String]

    public init(_ words: StaticString..., synonyms: [String: String] = [:]) {
        self.words = words.map(\.description)
        meanings = self.words.reduce(into: synonyms) { $0[$1] = $1 }
    }

    /// The word that `text` stands for, or nil when it is not in the vocabulary.
    func word(for text: String) -> String? {
        if let word = meanings[text] { return word }
        let canonical = text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 }
        return meanings[String(canonical)]
    }

    /// What leaves the server for a stored `text`: a known word, always.
    public func word(forStored text: String?) -> String {
        text.flatMap(word(for:)) ?? words.first ?? ""
    }

    /// Every stored spelling that reads as `word`, itself first.
    func spellings(of word: String) -> [String] {
        [word] + meanings.filter { $0.value == word && $0.key != word }.map(\.key).sorted()
    }
}
