/// What rows must satisfy.
indirect enum LogicTree: Hashable, Sendable {
    case filter(ColumnFilter)
    case all([LogicTree], isNegated: Bool)
    case any([LogicTree], isNegated: Bool)

    /// Whether one value may take seconds where another took none, as patterns do.
    var mayTakeLong: Bool {
        switch self {
        case .filter(let filter): filter.test.mayTakeLong
        case .all(let parts, _), .any(let parts, _): parts.contains(where: \.mayTakeLong)
        }
    }
}

/// A test of one column: `age=not.gte.18`.
struct ColumnFilter: Hashable, Sendable {
    var field: FieldPath
    var isNegated: Bool
    var test: Test

    enum Test: Hashable, Sendable {
        case compare(Comparison, Quantifier?, String)
        case isIn([String])
        case `is`(Word)
        case isDistinct(String)
        case search(SearchFunction, language: String?, String)

        fileprivate var mayTakeLong: Bool {
            switch self {
            case .compare(let comparison, _, _): !comparison.isPlain
            case .search: true
            case .isIn, .is, .isDistinct: false
            }
        }
    }

    /// `like(any).{a,b}`: of several values one, or each.
    enum Quantifier: String, Sendable {
        case any, all
    }

    /// What can follow `is.`
    enum Word: String, CaseIterable, Sendable {
        case null, notNull = "not_null", `true`, `false`, unknown
    }
}

enum Comparison: String, CaseIterable, Sendable {
    case equal = "eq"
    case notEqual = "neq"
    case greater = "gt"
    case greaterOrEqual = "gte"
    case less = "lt"
    case lessOrEqual = "lte"
    case like
    case caselessLike = "ilike"
    case match
    case caselessMatch = "imatch"
    case contains = "cs"
    case isContained = "cd"
    case overlaps = "ov"
    case strictlyLeft = "sl"
    case strictlyRight = "sr"
    case notRight = "nxl"
    case notLeft = "nxr"
    case adjacent = "adj"

    /// The operator (PostgreSQL manual, chapter 9).
    var symbol: StaticString {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .less: "<"
        case .lessOrEqual: "<="
        case .like: "LIKE"
        case .caselessLike: "ILIKE"
        case .match: "~"
        case .caselessMatch: "~*"
        case .contains: "@>"
        case .isContained: "<@"
        case .overlaps: "&&"
        case .strictlyLeft: "<<"
        case .strictlyRight: ">>"
        case .notRight: "&>"
        case .notLeft: "&<"
        case .adjacent: "-|-"
        }
    }

    /// Of a value as a whole.
    fileprivate var isPlain: Bool {
        switch self {
        case .equal, .notEqual, .greater, .greaterOrEqual, .less, .lessOrEqual: true
        default: false
        }
    }

    /// Whether `(any)` and `(all)` may follow.
    var isQuantifiable: Bool {
        switch self {
        case .equal, .greater, .greaterOrEqual, .less, .lessOrEqual, .like, .caselessLike, .match, .caselessMatch: true
        default: false
        }
    }
}

/// How the words of a full-text search are read (PostgreSQL manual, 12.3.2).
enum SearchFunction: String, CaseIterable, Sendable {
    case words = "fts"
    case plain = "plfts"
    case phrase = "phfts"
    case web = "wfts"

    var name: StaticString {
        switch self {
        case .words: "to_tsquery"
        case .plain: "plainto_tsquery"
        case .phrase: "phraseto_tsquery"
        case .web: "websearch_to_tsquery"
        }
    }
}
