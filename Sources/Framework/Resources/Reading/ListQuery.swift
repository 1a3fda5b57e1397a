import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// The query parameters of a list request, parsed and checked against the plan.
///
/// Of a search or range that is repeated, the last one counts, and a column is sorted by once: else clients could make
/// statements of any length, each of which would be prepared.
struct ListQuery: Sendable {
    private(set) var conditions: [Condition] = []
    private(set) var order: [SortKey]
    private(set) var paging = Paging()

    /// Throws ``APIError`` 400 that names every parameter at fault.
    init(_ query: Query, _ plan: ResourcePlan, caller: String) throws {
        order = plan.query.order
        guard !query.isEmpty else { return }
        var reader = Reader(plan: plan, caller: caller, zone: try query.timeZone(Self.timeZoneKey))
        for (name, value) in query where !value.isEmpty {
            reader.read(name, value)
        }
        guard reader.faults.isEmpty else { throw APIError.validation(reader.faults) }
        conditions =
            reader.conditions
            + reader.wanted.map { wanted in
                guard let shown = plan.read.shownColumns[wanted.column] else {
                    return Condition.anyOf(wanted.column, wanted.values)
                }
                return shown.condition(showing: wanted.words, stored: wanted.values)
            }
        if let sort = reader.sort { order = sort }
        if let isDescending = reader.sortsDescending {
            order = order.map { SortKey(column: $0.column, isDescending: isDescending) }
        }
        paging = Paging(reader.paging)
    }

    private static let timeZoneKey = "tz"

    /// The parameters of every list, beside those of its page and its filters.
    private static let usual: Set = ["sort", "sortBy", "sort_by", "sortOrder", "sort_order", timeZoneKey]

    /// Whether a list of the plan reads a parameter.
    static func knows(_ name: String, _ plan: ResourcePlan) -> Bool {
        usual.contains(name) || plan.query.parameters[name] != nil || Paging.names.contains(name)
            || name == "search" && !plan.query.searchColumns.isEmpty
    }

    /// Reads one query item after the other.
    private struct Reader {
        let plan: ResourcePlan
        let caller: String
        /// Where days begin, and times without an offset are.
        let zone: TimeZoneName
        var conditions: [Condition] = []
        /// The values that filters name for a column, together if there are several filters, and the words that stand for
        /// them.
        var wanted: [(column: String, values: [String], words: [String])] = []
        var sort: [SortKey]?
        /// What `sortOrder` says, if anything.
        var sortsDescending: Bool?
        var paging = Paging.Parameters()
        var faults: [String: String] = [:]

        mutating func read(_ name: String, _ value: String) {
            if paging.read(name, value) { return }
            switch name {
            case ListQuery.timeZoneKey: return
            case "sort", "sortBy", "sort_by": readSort(name, value)
            case "sortOrder", "sort_order": readSortOrder(name, value)
            case "search" where !plan.query.searchColumns.isEmpty:
                conditions.removeAll { [.search, .shortSearch].contains($0.shape) }
                let shape = Trigrams.areIn(value) ? Condition.Shape.search : .shortSearch
                restrict(to: Condition(shape: shape, value: Self.containsPattern(value)))
            default: readFilter(name, value)
            }
        }

        private mutating func readSort(_ name: String, _ value: String) {
            var terms: [SortKey] = []
            for term in value.split(separator: ",") {
                let isDescending = term.first == "-"
                let key = String(isDescending ? term.dropFirst() : term)
                guard let column = plan.query.sortable[key] else {
                    faults[name] = "names a field that cannot be sorted by"
                    return
                }
                if terms.contains(where: { $0.column == column }) { continue }
                terms.append(SortKey(column: column, isDescending: isDescending))
            }
            if !terms.isEmpty { sort = terms }
        }

        private mutating func readSortOrder(_ name: String, _ value: String) {
            switch value.lowercased() {
            case "asc": sortsDescending = false
            case "desc": sortsDescending = true
            default: faults[name] = "must be asc or desc"
            }
        }

        /// `%`, `_` and `\` lose their meaning in LIKE (PostgreSQL manual, 9.7.1).
        private static func containsPattern(_ text: String) -> String {
            var pattern = "%"
            for character in text.unicodeScalars {
                if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
                pattern.unicodeScalars.append(character)
            }
            return pattern + "%"
        }

        private mutating func readFilter(_ name: String, _ value: String) {
            guard let parameter = plan.query.parameters[name] else { return }
            do throws(ValueFault) {
                try restrict(by: parameter, value)
            } catch {
                faults[name] = error.reason
            }
        }

        private mutating func restrict(by parameter: QueryParameter, _ value: String) throws(ValueFault) {
            let (column, kind) = (parameter.column, parameter.kind)
            switch parameter.meaning {
            case .caller:
                if try Bool(flag: value) { restrict(to: .equals(column, kind, caller)) }
            case .view:
                switch value.lowercased() {
                case "my": restrict(to: .equals(column, kind, caller))
                case "unassigned": restrict(to: Condition(shape: .isNull(column), value: ""))
                case "all": return
                default: throw ValueFault(reason: "must be one of my, unassigned, all")
                }
            case .atLeast: restrict(to: Condition(shape: .atLeast(column), value: try start(value, kind)))
            case .before: restrict(to: Condition(shape: .before(column), value: try start(value, kind)))
            case .atMost:
                let text = try kind.parameter(forText: value)
                guard kind.isTimestamp, let time = WrittenTime(text) else {
                    return restrict(to: Condition(shape: .atMost(column), value: text))
                }
                restrict(to: Condition(shape: .before(column), value: time.end(in: zone)))
            case .named(let filter):
                let names = value.split(separator: ",").map(NameFilter.normal)
                if names.isEmpty { return }
                restrict(to: Condition(shape: .named(filter), value: ArrayLiteral.text(names)))
            case .equals(let words):
                let parts = value.split(separator: ",")
                if parts.isEmpty { return }
                if parts.count == 1, kind.isTimestamp, words == nil {
                    let text = try kind.parameter(forText: String(parts[0]))
                    guard let time = WrittenTime(text) else { return }
                    restrict(to: Condition(shape: .atLeast(column), value: time.start(in: zone)))
                    return restrict(to: Condition(shape: .before(column), value: time.end(in: zone)))
                }
                var values: [String] = []
                for part in parts { values += try Self.spellings(of: String(part), kind, words) }
                want(values, of: column, as: parts.map { words?.word(for: String($0)) ?? String($0) })
            }
        }

        /// The first moment of a time or day.
        private func start(_ value: String, _ kind: ColumnKind) throws(ValueFault) -> String {
            let text = try kind.parameter(forText: value)
            guard kind.isTimestamp, let time = WrittenTime(text) else { return text }
            return time.start(in: zone)
        }

        /// Replaces a condition of the same shape.
        private mutating func restrict(to condition: Condition) {
            if let index = conditions.firstIndex(where: { $0.shape == condition.shape }) {
                conditions[index] = condition
            } else {
                conditions.append(condition)
            }
        }

        private mutating func want(_ values: [String], of column: String, as words: [String]) {
            if let index = wanted.firstIndex(where: { $0.column == column }) {
                wanted[index].values += values
                wanted[index].words += words
            } else {
                wanted.append((column, values, words))
            }
        }

        /// The stored values that match a client's word.
        private static func spellings(
            of text: String,
            _ kind: ColumnKind,
            _ words: Enumeration?
        ) throws(ValueFault) -> [String] {
            guard let words else { return [try kind.parameter(forText: text)] }
            guard let word = words.word(for: text) else {
                throw ValueFault(reason: "must be one of " + words.words.joined(separator: ", "))
            }
            guard case .enumeration(let labels) = kind else { return words.spellings(of: word) }
            return words.spellings(of: word).filter(labels.contains)
        }
    }
}
