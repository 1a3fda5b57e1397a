/// A word, name, literal or sign of SQL text (PostgreSQL manual, 4.1), and where it begins.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A keyword or name without quotation marks, or a number; in lower case.
        case word(String)
        case quotedName(String)
        /// A string; `body` is the text within dollar quotes, and where it begins.
        case string(body: Range<Int>?)
        case sign(UInt8)
    }

    let kind: Kind
    /// Its bytes in the text.
    let range: Range<Int>

    var word: String? { if case .word(let word) = kind { word } else { nil } }

    /// A name as PostgreSQL stores it.
    var name: String? {
        switch kind {
        case .word(let name), .quotedName(let name): name
        default: nil
        }
    }

    func isSign(_ sign: Unicode.Scalar) -> Bool { kind == .sign(UInt8(ascii: sign)) }
}
