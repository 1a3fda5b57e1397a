/// A resource's declaration, sorted by what each line is about.
struct ResourceRules: Sendable {
    private(set) var filters: [FilterRule] = []
    private(set) var search: [Identifier] = []
    private(set) var ranges: [RangeRule] = []
    private(set) var aliases: [(column: String, key: String)] = []
    private(set) var renames: [String: String] = [:]
    private(set) var required: [String] = []
    private(set) var readOnly: Set<String> = []
    private(set) var hidden: Set<String> = []
    private(set) var enumerations: [String: Enumeration] = [:]
    private(set) var texts: Set<String> = []
    private(set) var textMembers: Set<String> = []
    private(set) var joins: [JoinedName] = []
    private(set) var computed: [ComputedField] = []
    private(set) var counts: [CountField] = []
    private(set) var order: [OrderTerm] = []
    private(set) var authors: [String] = [usualAuthor]
    private(set) var generated: [(column: String, value: @Sendable (Context) throws -> JSONValue)] = []
    private(set) var stampedNow: [String] = []
    private(set) var ownRows: OwnRowsRule?
    private(set) var parent: ParentRule?
    private(set) var hasSoftDelete = false
    private(set) var before: [WriteHook] = []
    private(set) var after: [AfterHook] = []

    /// Set where a table has it, without being declared.
    static let usualAuthor = "created_by"

    init(_ rules: [ResourceRule]) {
        for rule in rules {
            add(rule)
        }
    }

    private mutating func add(_ rule: ResourceRule) {
        switch rule.kind {
        case .filter(let filter): filters.append(filter)
        case .search(let columns): search += columns
        case .range(let range): ranges.append(range)
        case .alias(let column, let key): aliases.append((column.name, key))
        case .rename(let column, let key): renames[column.name] = key
        case .required(let column): required.append(column.name)
        case .readOnly(let columns): readOnly.formUnion(columns.map(\.name))
        case .hidden(let columns): hidden.formUnion(columns.map(\.name))
        case .enumeration(let column, let words): enumerations[column.name] = words
        case .texts(let columns): texts.formUnion(columns.map(\.name))
        case .textMembers(let columns): textMembers.formUnion(columns.map(\.name))
        case .joined(let join): joins.append(join)
        case .computed(let field): computed.append(field)
        case .count(let field): counts.append(field)
        case .order(let terms): order = terms
        case .author(let column): authors.append(column.name)
        case .generated(let column, let value): generated.append((column.name, value))
        case .stampedNow(let column): stampedNow.append(column.name)
        case .ownRows(let level, let column): ownRows = OwnRowsRule(level: level, column: column.name)
        case .parent(let rule): parent = rule
        case .softDelete: hasSoftDelete = true
        case .before(let hook): before.append(hook)
        case .after(let hook): after.append(hook)
        }
    }
}
