/// The members of a row's JSON object: what the writer of cells knows by itself, and what it leaves to ``RowJSON``.
struct RowLayout: Sendable {
    /// What it takes to write a member that the template leaves open; the members have one each.
    enum Detail: Sendable {
        case none
        case array(of: ColumnKind)
        case texts(of: ColumnKind)
        case textMembers
        case enumeration(Enumeration)
    }

    private(set) var template = RowTemplate()
    private(set) var details: [Detail] = []
    /// The place in the result of each member's column.
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
        case .texts(let kind): (.other, .texts(of: kind))
        case .textMembers: (.other, .textMembers)
        case .enumeration(let enumeration): (.word, .enumeration(enumeration))
        }
    }
}
