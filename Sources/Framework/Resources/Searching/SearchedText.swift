import SwiftletPostgres
import SwiftletWeb

/// What somebody looks for.
struct SearchedText {
    private let text: String
    private let words: [String]

    private static let maximumCharacters = 200
    private static let maximumWords = 8

    /// Throws 400 for a text of less than two characters.
    init(_ text: String) throws(APIError) {
        let plain = text.prefix(Self.maximumCharacters).filter { $0 != "\0" && $0 != "\u{1F}" }
        words = plain.split(whereSeparator: \.isWhitespace).prefix(Self.maximumWords).map(String.init)
        self.text = words.joined(separator: " ")
        guard self.text.count(where: { !$0.isWhitespace }) >= 2 else {
            throw .validation(["q": "must have at least 2 characters"])
        }
    }

    /// The patterns of the text and its words, made once: written where they are compared, they would be made anew for each
    /// comparison, and PostgreSQL would plan anew for each text.
    var patterns: SQL {
        var columns: SQL = "swiftlet.search_pattern(\(text)) AS whole, swiftlet.search_text(\(text)) AS plain"
        for (index, word) in words.enumerated() {
            columns.append(", swiftlet.search_pattern(\(word)) AS \(Self.names[index])")
        }
        return "(SELECT \(columns) OFFSET 0) q"
    }

    private static let names: [SQL] = ["w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8"]

    /// All words are there. One that the index finds suffices for it.
    var condition: SQL {
        let text: SQL = words.contains(where: Trigrams.areIn) ? "e.text" : "(e.text || '')"
        var condition: SQL = "TRUE"
        for index in words.indices { condition.append(" AND \(text) LIKE '%' || q.\(Self.names[index]) || '%'") }
        return condition
    }

    /// Each value stands between two U+001F.
    let rank: SQL = """
        CASE WHEN e.text LIKE '%' || chr(31) || q.whole || chr(31) || '%' THEN 0
            WHEN e.text LIKE '%' || chr(31) || q.whole || '%' THEN 1
            WHEN e.text LIKE '% ' || q.whole || '%' THEN 2 ELSE 3 END
        """

    /// By the trigrams of words.
    let similarity: SQL = "e.text %> q.plain"
    let distance: SQL = "e.text <->> q.plain"
}
