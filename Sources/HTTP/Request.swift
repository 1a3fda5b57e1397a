/// A request whose message is complete and well-formed (RFC 9110, RFC 9112).
///
/// Cheap to copy: one reference. Texts are made when asked for, so keep what you use twice.
public struct Request: Sendable {
    let storage: RequestStorage

    init(storage: RequestStorage) {
        self.storage = storage
    }

    public var method: Method { storage.line.method }

    /// The path, percent-decoded: `/caf%C3%A9` is `/café`. An encoded slash cannot be told from a plain one here;
    /// the router keeps them apart.
    public var path: String {
        let path = storage.line.target.path
        return path.isEmpty ? "/" : PercentCoding.decode(storage.head, path, plusIsSpace: false)
    }

    /// What stands behind the `?`, decoded as a form.
    public var query: Query {
        Query(storage.bytes, storage.line.target.query.range)
    }

    /// The message's content without chunks and trailers; empty when there is none.
    public var body: [UInt8] { storage.body }

    /// Whether there is more content than the server takes. Nothing of it is in ``body`` then, and a 413 is due.
    package var isTooLarge: Bool { storage.isTooLarge }

    /// The peer's address without the port.
    public var remoteAddress: String { storage.remoteAddress }

    package var notes: RequestNotes { storage.notes }

    /// Changes what every copy of this request tells.
    package func note(_ change: (inout RequestNotes) -> Void) { storage.note(change) }

    /// The first value of a field, or nil when the field is absent.
    public func header(_ name: Headers.Name) -> String? {
        for index in 0..<storage.fieldCount where isNamed(index, name) {
            return text(storage.field(index).value)
        }
        return nil
    }

    /// All values of a list field, joined by ", " (RFC 9110 §5.3), or nil when the field is absent.
    public func combinedHeader(_ name: Headers.Name) -> String? {
        var combined: String?
        for index in 0..<storage.fieldCount where isNamed(index, name) {
            let value = text(storage.field(index).value)
            combined = combined.map { $0 + ", " + value } ?? value
        }
        return combined
    }

    /// Every field as received, in order.
    package var fields: [(name: String, value: String)] {
        (0..<storage.fieldCount).map { (text(storage.field($0).name), text(storage.field($0).value)) }
    }

    /// Hands over the first value of a field as bytes, nil when it is absent. `lowercaseName` must be in lower case.
    @inline(__always)
    package func withHeader<Result>(_ lowercaseName: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        guard let value = storage.value(of: lowercaseName) else { return body(nil) }
        return body(storage.head.extracting(value.range))
    }

    /// The path's segments for the router.
    package var pathSegments: PathSegments { PathSegments(storage) }

    package var version: HTTPVersion { storage.line.version }

    /// Whether the client wants to use the connection again, and may.
    package var keepAlive: Bool { storage.keepAlive }

    private func isNamed(_ index: Int, _ name: Headers.Name) -> Bool {
        let range = storage.field(index).name
        let wanted = name.text.utf8
        guard range.count == wanted.count else { return false }
        var position = range.start
        for byte in wanted {
            guard asciiLowercase(storage.head[position]) == asciiLowercase(byte) else { return false }
            position &+= 1
        }
        return true
    }

    private func text(_ range: ByteRange) -> String {
        String(decoding: storage.bytes[range.range], as: UTF8.self)
    }
}
