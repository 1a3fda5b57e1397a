/// A request's JSON object, sorted into what will be written, what is unknown and what is wrong.
struct WriteBody: Sendable {
    private(set) var change: Change
    /// Keys that no column answers to; named in `X-Ignored-Fields`.
    private(set) var ignoredKeys: [String] = []
    private(set) var faults: [String: String] = [:]

    /// The `id` that the client gave, when the key column can hold it.
    let clientKey: String?

    init(_ object: JSONObject, _ action: WriteAction, _ plan: ResourcePlan, _ table: PlannedTable) {
        change = Change(action: action)
        clientKey = object[table.key].flatMap { try? table.keyKind.parameter(for: $0) }
        for (key, value) in object where key != table.key {
            guard let input = plan.inputs[key] else {
                if !plan.serverKeys.contains(key) { ignoredKeys.append(key) }
                continue
            }
            read(value, key, input)
        }
    }

    private mutating func read(_ value: JSONValue, _ key: String, _ input: InputColumn) {
        if value.isNull, !input.isNullable {
            faults[key] = "must not be null"
            return
        }
        if input.isRequired, let text = value.string, text.allSatisfy({ $0.isWhitespace }) {
            faults[key] = "must not be empty"
            return
        }
        guard let words = input.words, !value.isNull else {
            change.set(input.column, .json(value), input.kind)
            return
        }
        guard let word = value.string.flatMap(words.word(for:)) else {
            faults[key] = "must be one of " + words.words.joined(separator: ", ")
            return
        }
        change.set(input.column, .json(.string(word)), input.kind)
    }

    /// For clients that asked for `Prefer: handling=strict` (RFC 7240 §4.4).
    mutating func refuseUnknownKeys() {
        for key in ignoredKeys {
            faults[key] = "is unknown"
        }
    }

    /// Every column that has to be sent and was not.
    mutating func requireComplete(_ plan: ResourcePlan, filledByServer: (String) -> Bool) {
        for (key, column) in plan.obligatory where !change.contains(column) && faults[key] == nil {
            if !filledByServer(column) { faults[key] = "is required" }
        }
    }
}
