import SwiftletWeb

/// The members of a row's JSON object, split into what ``JSONWriter`` writes from a template and what ``RowJSON`` adds.
struct RowLayout: Sendable {
    /// How the values of a member are written.
    struct Cell: Sendable {
        let form: CellForm
        let detail: Detail

        init(_ form: CellForm, _ detail: Detail = .none) {
            self.form = form
            self.detail = detail
        }
    }

    /// How ``RowJSON`` writes a member that the template leaves out; one per member.
    enum Detail: Sendable {
        case none
        case array(of: ColumnKind)
        /// An array or JSON column, written as a JSON array of strings.
        case stringArray(of: ColumnKind)
        /// A JSON column, written as a JSON object with string values.
        case stringDictionary
        case enumeration(Enumeration)
        /// Objects that the statement builds, whose members of these names hold times.
        case objects(times: Set<String>)
    }

    let template: RowTemplate
    let details: [Detail]
    /// The index of each member's column in the result.
    let positions: [Int]

    init(_ members: [ResultLayout.Member]) {
        template = members.reduce(into: RowTemplate()) { template, member in
            var words: [String] = []
            if case .enumeration(let enumeration) = member.cell.detail { words = enumeration.words }
            template.append(member.name, position: member.position, member.cell.form, words: words)
        }
        details = members.map(\.cell.detail)
        positions = members.map(\.position)
    }
}

extension RowLayout.Cell {
    /// By the column's type alone.
    init(of kind: ColumnKind) {
        guard !kind.needsJSONExpression else {
            self.init(.json)
            return
        }
        switch kind {
        case .text, .enumeration, .bytea: self.init(.text)
        case .uuid, .time: self.init(.plain)
        case .date: self.init(.date)
        case .integer, .numeric, .float: self.init(.number)
        case .bool: self.init(.bool)
        case .timestamp, .timestampWithZone: self.init(.timestamp)
        case .json, .other: self.init(.json)
        case .array(let element): self.init(.other, .array(of: element))
        }
    }
}
