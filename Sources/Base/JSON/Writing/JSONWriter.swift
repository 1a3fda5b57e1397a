/// Writes JSON text in one pass, with automatic commas.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { json in
///     json.member("id", 7)
///     json.member("title", "Visit the site")
/// }
/// let bytes = writer.finish()
/// ```
/// Whether a comma is needed depends on the last byte written: none at the start and after `{`, `[`, `,` and `:`.
/// Callers are responsible for matching `begin…` and `end…`, and for a key and a value per member.
public struct JSONWriter: ~Copyable {
    var buffer: ByteBuffer
    /// Members with times that apps cannot decode, which are written as null; each name once.
    package var undecodableMembers: [String] = []
    /// Whether there was such a time outside of a named member.
    package var hasUndecodableValue = false
    /// The names of its members that such times stand in, when the value is an object or a list of them.
    var undecodableNames: [String] = []

    public init(minimumCapacity: Int = 256) { buffer = ByteBuffer(minimumCapacity: minimumCapacity) }

    /// The text in UTF-8.
    public consuming func finish() -> [UInt8] { buffer.array() }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    public mutating func endObject() { buffer.append(UInt8(ascii: "}")) }

    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    public mutating func endArray() { buffer.append(UInt8(ascii: "]")) }

    /// Writes an object with the members that `body` writes.
    public mutating func object<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginObject()
        try body(&self)
        endObject()
    }

    /// Writes an array with the values that `body` writes.
    public mutating func array<Failure: Error>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
        beginArray()
        try body(&self)
        endArray()
    }

    /// Writes the name of a member; its value comes next.
    public mutating func key(_ name: StaticString) {
        separate()
        name.withUTF8Buffer { name in
            let span = unsafe name.span
            buffer.appendQuoted(span, isValidUTF8: true)
        }
        buffer.append(UInt8(ascii: ":"))
    }

    /// Writes the name of a member; its value comes next.
    @_disfavoredOverload
    public mutating func key(_ name: String) {
        write(name)
        buffer.append(UInt8(ascii: ":"))
    }

    public mutating func write(_ value: String) {
        separate()
        buffer.appendQuoted(value.utf8.span, isValidUTF8: true)
    }

    public mutating func write(_ value: Bool) {
        separate()
        buffer.append(value ? "true" : "false")
    }

    public mutating func write(_ value: Int) {
        separate()
        buffer.appendDecimal(value)
    }

    public mutating func write(_ value: Int64) { write(Int(value)) }

    /// Writes the shortest digits that read back as `value`; NaN and infinities, which JSON cannot represent, as null.
    public mutating func write(_ value: Double) {
        guard let number = JSONNumber(value) else { return writeNull() }
        write(number)
    }

    public mutating func write(_ value: JSONNumber) {
        separate()
        buffer.append(value.text.utf8.span)
    }

    public mutating func writeNull() {
        separate()
        buffer.append("null")
    }

    public mutating func write(_ value: JSONValue) {
        switch value {
        case .null: writeNull()
        case .bool(let value): write(value)
        case .number(let value): write(value)
        case .string(let value): write(value)
        case .array(let values): array { json in for value in values { json.write(value) } }
        case .object(let object): write(object)
        }
    }

    public mutating func write(_ object: JSONObject) {
        self.object { json in
            for (name, value) in object {
                json.key(name)
                json.write(value)
            }
        }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        buffer.append(bracket)
    }

    /// Appends the comma that the next value or key needs.
    @inline(__always)
    package mutating func separate() {
        switch buffer.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ":"): break
        default: buffer.append(UInt8(ascii: ","))
        }
    }
}
