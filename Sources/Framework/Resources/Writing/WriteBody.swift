import SwiftletWeb

/// A request's JSON object, split into values to write, unknown keys and invalid values.
struct WriteBody: Sendable {
    private(set) var change: Change
    /// Keys that match no column; named in `X-Ignored-Fields`.
    private(set) var ignoredKeys: [String] = []
    private(set) var faults: [String: String] = [:]
    /// Columns with an invalid value, under any of their keys.
    private var faultyColumns: Set<String> = []

    /// The client's own `id`, if it is not empty, the key column can hold it and the database does not number the rows.
    let chosenKey: String?

    /// `isStrict` makes a fault of each unknown key (RFC 7240 §4.4, `Prefer: handling=strict`).
    init(
        _ object: JSONObject,
        _ action: WriteAction,
        _ plan: ResourcePlan,
        _ table: PlannedTable,
        isStrict: Bool = false
    ) {
        change = Change(action: action)
        let keyName = plan.fieldName(of: table.key)
        let key = object[keyName].flatMap { try? table.keyKind.parameter(for: $0) }
        chosenKey = key?.isEmpty == true || table.keyIsCounted ? nil : key
        if action == .create, key != nil, table.keyIsCounted { ignoredKeys.append(keyName) }
        for (key, value) in object where key != keyName {
            guard let input = plan.write.inputs[key] else {
                if let name = plan.write.extraInputs[key] {
                    change.set(name, .json(value), key: key)
                } else if !plan.write.serverKeys.contains(key) {
                    ignoredKeys.append(key)
                }
                continue
            }
            read(value, key, input)
        }
        for part in table.parts {
            if let value = change[part.column], !part.holds(value) { change[part.column] = nil }
        }
        if isStrict {
            for key in ignoredKeys { faults[key] = "is unknown" }
        }
    }

    private mutating func read(_ value: JSONValue, _ key: String, _ input: InputColumn) {
        if value.isNull {
            if change.action == .create, input.hasDefault { return }
            guard input.isNullable else { return refuse(key, input, "must not be null") }
            return change.set(input.column, .json(value), input.kind, key: key)
        }
        if input.isRequired, let text = value.string, text.allSatisfy({ $0.isWhitespace }) {
            return refuse(key, input, "must not be empty")
        }
        if let shape = input.shape, !shape.admits(value) { return refuse(key, input, "must be \(shape.noun)") }
        guard let words = input.words else {
            return change.set(input.column, .json(value), input.kind, key: key)
        }
        guard let word = value.string.flatMap(words.word(for:)) else {
            return refuse(key, input, "must be one of " + words.words.joined(separator: ", "))
        }
        change.set(input.column, .json(.string(word)), input.kind, key: key)
    }

    private mutating func refuse(_ key: String, _ input: InputColumn, _ reason: String) {
        faults[key] = reason
        faultyColumns.insert(input.column)
    }

    /// Adds a fault for each of `columns` that was not sent.
    mutating func requireComplete(_ columns: [NeededColumn], filledByServer: (String) -> Bool) {
        for column in columns where !change.contains(column.column) && !faultyColumns.contains(column.column) {
            if !filledByServer(column.column) { faults[column.key] = "is required" }
        }
    }
}
