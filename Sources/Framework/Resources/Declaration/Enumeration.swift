import SwiftletWeb

/// A closed vocabulary with synonyms.
///
///     Enumeration("todo", "in_progress", "completed", synonyms: ["blocked": "in_progress", "done": "completed"])
///
/// Words match case-insensitively, and spaces and hyphens match underscores.
public struct Enumeration: Hashable, Sendable {
    /// The words that clients know. The first one replaces unknown words from the database.
    public let words: [String]
    private let meanings: [String: String]
    private let spellings: [String: [String]]

    public init(_ words: StaticString..., synonyms: [String: String] = [:]) {
        let words = words.map(\.description)
        let meanings = words.reduce(into: synonyms) { $0[$1] = $1 }
        self.words = words
        self.meanings = meanings
        spellings = words.reduce(into: [:]) { spellings, word in
            let others = meanings.keys.filter { $0 != word && meanings[$0] == word }
            spellings[word] = ([word] + others.sorted()).flatMap(Self.variants)
        }
    }

    /// Why a resource cannot be declared with this vocabulary; nil if it can.
    var fault: String? {
        guard !words.isEmpty else { return "has no words" }
        // Responses have the words as they are, in quotes (RFC 8259 §7).
        if let word = words.first(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } }) {
            return "has the word \(word.debugDescription): leave out quotes, backslashes and control characters"
        }
        let strays = meanings.filter { !words.contains($0.value) }
        guard let (synonym, meaning) = strays.min(by: { $0.key < $1.key }) else { return nil }
        return "has the synonym \(synonym) for \(meaning), which is not one of its words"
    }

    /// The word that `text` stands for, or nil when it is not in the vocabulary.
    func word(for text: String) -> String? {
        if let word = meanings[text] { return word }
        let canonical = text.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 }
        return meanings[String(canonical)]
    }

    /// The word that clients get for a stored `text`: one of ``words``. No server starts with synonyms for other words.
    public func word(forStored text: String?) -> String {
        text.flatMap(word(for:)) ?? words.first ?? ""
    }

    /// The spellings that map to `word`, itself first, in the cases and with the separators that are usual.
    ///
    /// A filter by them finds what lists show under the word. It cannot use an index for its order as well, but
    /// those by a word with synonyms never could.
    func spellings(of word: String) -> [String] { spellings[word] ?? [] }

    /// `in_progress`, `IN_PROGRESS`, `In_progress`, `In_Progress`, and the same with spaces and with hyphens.
    private static func variants(of spelling: String) -> [String] {
        let parts = spelling.split(separator: "_").map(String.init)
        var variants: [String] = []
        for separator in parts.count > 1 ? ["_", " ", "-"] : ["_"] {
            let text = parts.joined(separator: separator)
            let title = parts.map(capitalized).joined(separator: separator)
            for variant in [text, text.uppercased(), capitalized(text), title] where !variants.contains(variant) {
                variants.append(variant)
            }
        }
        return variants
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
