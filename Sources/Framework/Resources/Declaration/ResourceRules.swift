import SwiftletWeb

/// A resource's declaration, its rules grouped by kind.
struct ResourceRules: Sendable {
    private(set) var filters: [FilterRule] = []
    private(set) var search: [Identifier] = []
    /// Whether searches over several resources find its rows, see ``Searchable``.
    private(set) var isSearchable = false
    private(set) var ranges: [RangeRule] = []
    private(set) var aliases: [(column: String, key: String)] = []
    private(set) var renames: [String: String] = [:]
    private(set) var required: [String] = []
    private(set) var readOnly: Set<String> = []
    private(set) var hidden: Set<String> = []
    private(set) var inputs: Set<String> = []
    private(set) var enumerations: [String: Enumeration] = [:]
    private(set) var stringArrays: Set<String> = []
    private(set) var stringDictionaries: Set<String> = []
    private(set) var joins: [JoinedName] = []
    private(set) var countedRows: [CountedRows] = []
    private(set) var computed: [ComputedField] = []
    private(set) var counts: [CountField] = []
    private(set) var shownWords: [ShownWord] = []
    private(set) var order: [SortKey] = []
    private(set) var authors: [String] = [usualAuthor]
    private(set) var defaultValues: [(column: String, value: @Sendable (Context) throws -> JSONValue)] = []
    private(set) var nowDefaults: [String] = []
    private(set) var ownRowsOnly: OwnRowsRule?
    private(set) var only: [OnlyRule] = []
    private(set) var parent: ParentRule?
    private(set) var lines: [LinesRule] = []
    private(set) var hasSoftDelete = false
    private(set) var before: [BeforeHook] = []
    /// Whether an update must read the row first.
    private(set) var readsRowBeforeUpdate = false
    private(set) var after: [AfterHook] = []
    /// Rules whose SQL has a subquery. They are not applied, and no server starts with a route of such a resource.
    private(set) var subqueries: [String] = []
    /// Rules with a vocabulary that has an ``Enumeration/fault``, and that fault. They are not applied, and no server
    /// starts with a route of such a resource.
    private(set) var faultyEnumerations: [String] = []

    /// Set without being declared, if the table has it.
    static let usualAuthor = "created_by"

    /// `table` is the one that the rules are for.
    init(_ rules: [ResourceRule], of table: String, _ scope: RowScope) {
        for rule in rules {
            add(rule, table, scope)
        }
    }

    private mutating func add(_ rule: ResourceRule, _ table: String, _ scope: RowScope) {
        switch rule.kind {
        case .filter(let filter): filters.append(filter)
        case .search(let columns): search += columns
        case .searchable(let columns):
            search += columns
            isSearchable = true
        case .range(let range): ranges.append(range)
        case .alias(let column, let key): aliases.append((column.name, key))
        case .rename(let column, let key): renames[column.name] = key
        case .required(let column): required.append(column.name)
        case .readOnly(let columns): readOnly.formUnion(columns.map(\.name))
        case .hidden(let columns): hidden.formUnion(columns.map(\.name))
        case .input(let keys): inputs.formUnion(keys.map(\.name))
        case .enumeration(let column, let words):
            if let fault = words.fault {
                faultyEnumerations.append("Enumerated(\"\(column.name)\") \(fault)")
            } else {
                enumerations[column.name] = words
            }
        case .stringArrays(let columns): stringArrays.formUnion(columns.map(\.name))
        case .stringDictionaries(let columns): stringDictionaries.formUnion(columns.map(\.name))
        case .joined(let join): joins.append(join)
        case .counted(let rows): countedRows.append(rows)
        case .computed(let field):
            if field.hasSubquery { subqueries.append("Computed(\"\(field.key)\")") } else { computed.append(field) }
        case .count(let field):
            if field.hasSubquery { subqueries.append("Count(\"\(field.key)\")") } else { counts.append(field) }
        case .shown(let word):
            if word.hasSubquery { subqueries.append("Shown(\"\(word.word)\")") } else { shownWords.append(word) }
        case .order(let terms): order = terms
        case .author(let column): authors.append(column.name)
        case .defaultValue(let column, let value): defaultValues.append((column.name, value))
        case .defaultNow(let column): nowDefaults.append(column.name)
        case .ownRowsOnly(let level, let column): ownRowsOnly = OwnRowsRule(level: level, column: column.name)
        case .only(let rule): only.append(rule)
        case .parent(let rule): parent = rule
        case .lines(let declaration): lines.append(declaration.rule(ofParent: table, scope))
        case .softDelete: hasSoftDelete = true
        case .before(let hook):
            before.append(hook)
            readsRowBeforeUpdate = readsRowBeforeUpdate || hook.readsRow
        case .after(let hook): after.append(hook)
        }
    }
}
