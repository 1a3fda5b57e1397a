/// The members of a row's JSON object, split into what ``JSONWriter`` writes from a template and what ``RowJSON`` adds.
struct RowLayout: Sendable {
    /// How ``RowJSON`` writes a member that the template leaves out; one per member.
    enum Detail: Sendable {
        case none
        case array(of: ColumnKind)
        case stringArray(of: ColumnKind)
        case stringDictionary
        case enumeration(Enumeration)
    }

    private(set) var template = RowTemplate()
    private(set) var details: [Detail] = []
    /// The index of each member's column in the result.
    private(set) var positions: [Int] = []

    mutating func append(_ key: String, position: Int, _ kind: CellKind) {
        let (form, detail) = Self.form(of: kind)
        var words: [String] = []
        if case .enumeration(let enumeration) = detail { words = enumeration.words }
        template.append(key, position: position, form, words: words)
        details.append(detail)
        positions.append(position)
    }

    private static func form(of kind: CellKind) -> (CellForm, Detail) {
        switch kind {
        case .text: (.text, .none)
        case .plain: (.plain, .none)
        case .number: (.number, .none)
        case .bool: (.bool, .none)
        case .timestamp: (.timestamp, .none)
        case .json: (.json, .none)
        case .array(let element): (.other, .array(of: element))
        case .stringArray(let kind): (.other, .stringArray(of: kind))
        case .stringDictionary: (.other, .stringDictionary)
        case .enumeration(let enumeration): (.word, .enumeration(enumeration))
        }
    }
}
