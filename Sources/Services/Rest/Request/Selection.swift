/// One item of `select`.
indirect enum SelectItem: Hashable, Sendable {
    /// Every column: `*`.
    case all
    case column(ColumnSelection)
    case embed(EmbedSelection)
}

/// `alias:column->path::type`, or `alias:column.sum()::type`.
struct ColumnSelection: Hashable, Sendable {
    /// nil only in `count()`, which counts rows.
    var field: FieldPath?
    var cast: String?
    var alias: String?
    var aggregate: Aggregate?
    var aggregateCast: String?

    /// The name in the answer: the alias, else the aggregate's, the last key of the path, or the column's.
    var name: String {
        if let alias { return alias }
        if let aggregate { return aggregate.rawValue }
        guard let field else { return "" }
        // As in PostgREST: an index is no name, the key before it is.
        let key = field.steps.last { if case .name = $0.key { true } else { false } }
        return key?.key.text ?? field.name
    }
}

enum Aggregate: String, CaseIterable, Sendable {
    case sum, avg, count, max, min
}

/// `alias:relation!hint!inner(…)` or `...relation(…)`.
struct EmbedSelection: Hashable, Sendable {
    var relation: String
    var alias: String?
    var hint: String?
    var isInner = false
    var isSpread = false
    var items: [SelectItem]

    /// The name in the answer, and in the filters that concern it.
    var name: String { alias ?? relation }
}
