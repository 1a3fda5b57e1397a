/// Decides whether SQL text only reads, as far as that is possible without a parser.
///
/// Reads share a batch with other reads and may be retried, so in doubt it decides for a write: a call of an unknown
/// function counts as one.
enum SQLClassifier {
    static func isReadOnly(_ text: String) -> Bool {
        var scanner = SQLScanner(text)
        guard scanner.understandsQuoting else { return false }
        var isFirst = true
        var previous = ""
        while let token = scanner.next() {
            switch token {
            case .word(let word):
                if isFirst, !openings.contains(word) { return false }
                if writingWords.contains(word) { return false }
                // A qualified name may be a user's own function, whatever it is called.
                previous = previous == "." ? "?" : word
            case .quotedIdentifier:
                if isFirst { return false }
                previous = "\""
            case .openingParenthesis:
                if isFirst { return false }
                // A word before a parenthesis is a function unless it is syntax.
                if !previous.isEmpty, !syntaxWords.contains(previous), !pureFunctions.contains(previous) {
                    return false
                }
                previous = ""
            case .dot, .other:
                if isFirst { return false }
                previous = token == .dot ? "." : ""
            }
            isFirst = false
        }
        return !isFirst
    }

    /// Whether the text runs code that may change the session for longer than its transaction: a function that is not
    /// known for not doing so, a procedure or a block. Triggers, views, defaults and policies do not show in the text.
    static func mayLeaveTraces(_ text: String) -> Bool {
        var scanner = SQLScanner(text)
        guard scanner.understandsQuoting else { return true }
        var previous = ""
        var target = InsertTarget.none
        while let token = scanner.next() {
            switch token {
            case .word(let word):
                if previous.isEmpty, runningWords.contains(word) { return true }
                target = word == "into" ? .expected : target == .expected ? .named : .none
                previous = previous == "." ? "?" : word
            case .quotedIdentifier:
                target = target == .expected ? .named : .none
                previous = "\""
            case .openingParenthesis:
                let isSyntax = target == .named || syntaxWords.contains(previous) || previous == "conflict"
                let isKnown = isSyntax || pureFunctions.contains(previous) || tracelessFunctions.contains(previous)
                if !isKnown, !previous.isEmpty, previous != "=" { return true }
                target = .none
                previous = "="
            case .dot:
                target = target == .named ? .expected : .none
                previous = "."
            case .other:
                target = .none
                previous = previous.isEmpty ? "" : "="
            }
        }
        return false
    }

    /// How far the table that follows INTO has been read: the parenthesis behind it opens a list of columns.
    private enum InsertTarget {
        case none
        case expected
        case named
    }

    /// Whether the text begins or ends a transaction, or changes the state of the connection.
    static func controlsConnection(_ text: String) -> Bool {
        var scanner = SQLScanner(text)
        var first = scanner.next()
        // PostgreSQL skips empty statements: `; COMMIT` is one statement.
        while first == .other { first = scanner.next() }
        guard case .word(let word)? = first, controllingWords.contains(word) else { return false }
        guard case .word(let second)? = scanner.next(), endingWithTransaction[word]?.contains(second) == true else {
            return true
        }
        // A setting of one's own may be called `local.x`.
        return scanner.next() == .dot
    }

    /// Whether the text runs in one transaction, so that it has had no effect when it fails. Procedures may commit on
    /// the way, and some commands work in several steps.
    static func isAtomic(_ text: String) -> Bool {
        var scanner = SQLScanner(text)
        guard case .word(let word)? = scanner.next() else { return false }
        return openings.contains(word) || changes.contains(word)
    }

    private static let changes: Set<String> = ["insert", "update", "delete", "merge"]

    private static let controllingWords: Set<String> = [
        "begin", "start", "commit", "end", "rollback", "abort", "copy", "listen", "unlisten", "prepare", "deallocate",
        "discard", "set", "reset",
    ]

    /// Second words that make the statement one within a transaction, without effect after its end.
    private static let endingWithTransaction: [String: Set<String>] = [
        "rollback": ["to"], "set": ["local", "constraints", "transaction"],
    ]

    /// First words of statements that run code of their own, or that of a prepared statement.
    private static let runningWords: Set<String> = ["call", "do", "execute"]

    /// Volatile ones that leave the session as it is.
    private static let tracelessFunctions: Set<String> = [
        "clock_timestamp", "currval", "gen_random_uuid", "hashtext", "hashtextextended",
        "jsonb_insert", "jsonb_set", "jsonb_strip_nulls", "jsonb_to_record", "jsonb_to_recordset", "json_to_recordset",
        "lastval", "nextval", "pg_advisory_xact_lock", "pg_notify", "pg_try_advisory_xact_lock", "random", "setval",
        "sha256", "statement_timestamp", "transaction_timestamp", "uuidv4", "uuidv7",
    ]

    private static let openings: Set<String> = ["select", "with", "values", "table"]

    private static let writingWords: Set<String> = [
        "insert", "update", "delete", "merge", "into", "share", "truncate", "call", "do", "copy", "lock",
    ]

    private static let syntaxWords: Set<String> = [
        "all", "and", "any", "array", "as", "between", "by", "case", "distinct", "else", "except", "exists", "filter",
        "from", "group", "having", "in", "intersect", "is", "join", "lateral", "like", "ilike", "limit", "materialized",
        "not", "offset", "on", "or", "order", "over", "partition", "select", "set", "sets", "some", "then", "union",
        "using", "values", "when", "where", "with", "within", "numeric", "decimal", "varchar", "char", "timestamp",
        "timestamptz", "time", "interval", "rollup", "cube", "grouping", "only",
    ]

    private static let pureFunctions: Set<String> = [
        "abs", "age", "array_agg", "array_append", "array_cat", "array_length", "array_position", "array_remove",
        "array_to_string", "avg", "bool_and", "bool_or", "btrim", "cardinality", "cast", "ceil", "ceiling",
        "char_length", "coalesce", "concat", "concat_ws", "count", "cume_dist", "current_setting", "date", "date_bin",
        "date_part", "date_trunc", "dense_rank", "encode", "extract", "first_value", "floor", "format",
        "generate_series", "greatest", "initcap", "json_agg", "json_array_length", "json_build_array",
        "json_build_object", "json_object_agg", "jsonb_agg", "jsonb_array_elements", "jsonb_array_elements_text",
        "jsonb_array_length", "jsonb_build_array", "jsonb_build_object", "jsonb_each", "jsonb_each_text",
        "jsonb_object_agg", "jsonb_object_keys", "jsonb_typeof", "lag", "last_value", "lead", "least", "left",
        "length", "lower", "lpad", "ltrim", "make_date", "make_interval", "make_timestamp", "make_timestamptz", "max",
        "md5", "min", "mod", "now", "ntile", "nullif", "octet_length", "overlay", "percent_rank", "percentile_cont",
        "percentile_disc", "plainto_tsquery", "position", "power", "rank", "regexp_match", "regexp_replace",
        "regexp_split_to_array", "repeat", "replace", "reverse", "right", "round", "row", "row_number", "row_to_json",
        "rpad", "rtrim", "sign", "split_part", "sqrt", "starts_with", "string_agg", "string_to_array", "strpos",
        "substr", "substring", "sum", "to_char", "to_date", "to_json", "to_jsonb", "to_number", "to_regclass",
        "to_timestamp", "to_tsquery", "to_tsvector", "translate", "trim", "trunc", "ts_rank", "unnest", "upper",
        "websearch_to_tsquery",
    ]
}
