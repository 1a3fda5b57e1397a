/// The members of a row's JSON object, laid out so that writing a row touches no reference count.
struct RowLayout: Sendable {
    /// One member; everything that is not a plain number lies in the tables below.
    struct Field: Sendable {
        /// Place of `,"name":` in ``keys``; the first one begins with a brace instead of the comma.
        let keyStart: Int
        let keyEnd: Int
        /// Position in the select list; an alias repeats its column's.
        let position: Int
        let form: Form
        /// Index into ``enumerations`` or ``elements``.
        let detail: Int
    }

    enum Form: Sendable {
        case cell(CellForm)
        case array
        case texts
        case textMembers
        case enumeration
    }

    private(set) var keys: [UInt8] = []
    private(set) var fields: [Field] = []
    private(set) var enumerations: [Enumeration] = []
    private(set) var elements: [ColumnKind] = []

    /// About what a row takes: its keys, and a dozen bytes a value.
    var usualBytes: Int { keys.count + 12 * fields.count }

    mutating func append(_ key: String, position: Int, _ kind: CellKind) {
        var name = JSONWriter(minimumCapacity: 64)
        name.write(key)
        let start = keys.count
        keys.append(UInt8(ascii: fields.isEmpty ? "{" : ","))
        keys += name.finish()
        keys.append(UInt8(ascii: ":"))
        let (form, detail) = form(of: kind)
        fields.append(Field(keyStart: start, keyEnd: keys.count, position: position, form: form, detail: detail))
    }

    private mutating func form(of kind: CellKind) -> (Form, detail: Int) {
        switch kind {
        case .text: return (.cell(.text), 0)
        case .plain: return (.cell(.plain), 0)
        case .number: return (.cell(.number), 0)
        case .bool: return (.cell(.bool), 0)
        case .timestamp: return (.cell(.timestamp), 0)
        case .json: return (.cell(.json), 0)
        case .array(let element):
            elements.append(element)
            return (.array, elements.count - 1)
        case .texts(let kind):
            elements.append(kind)
            return (.texts, elements.count - 1)
        case .textMembers: return (.textMembers, 0)
        case .enumeration(let words):
            enumerations.append(words)
            return (.enumeration, enumerations.count - 1)
        }
    }
}
