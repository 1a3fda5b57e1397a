import SwiftletBytes

/// A complete and well-formed request (RFC 9110, RFC 9112).
///
/// Cheap to copy: a single reference. Strings are made on each access, so keep those that you use twice.
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

    /// The part of the target after `?`, decoded as a form.
    public var query: Query {
        Query(storage.bytes, storage.line.target.query.range)
    }

    /// The part of the target after `?`, as it was sent.
    package var encodedQuery: String { String(decoding: storage.bytes[storage.line.target.query.range], as: UTF8.self) }

    /// The content without the framing of chunks and without trailers; empty when there is none.
    public var body: [UInt8] { storage.body }

    /// The peer's address without the port.
    public var remoteAddress: String { storage.remoteAddress }

    /// What the application has attached to this request and all its copies; nothing here looks into it.
    package var attachment: (any AnyObject & Sendable)? { storage.attachment }

    /// An object that holds the request, or its path, must be taken off again: neither would ever be freed.
    package func attach(_ object: any AnyObject & Sendable) { storage.attach(object) }

    /// Takes off what is attached.
    package func detach() -> (any AnyObject & Sendable)? { storage.detach() }

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

    /// All fields as received, in order.
    package var fields: [(name: String, value: String)] {
        (0..<storage.fieldCount).map { (text(storage.field($0).name), text(storage.field($0).value)) }
    }

    /// Lends the first value of a field as bytes, nil when it is absent. `lowercaseName` must be in lower case.
    @inline(__always)
    package func withHeader<Result>(_ lowercaseName: StaticString, _ body: (Span<UInt8>?) -> Result) -> Result {
        guard let value = storage.value(of: lowercaseName) else { return body(nil) }
        return body(storage.head.extracting(value.range))
    }

    /// The path's segments for the router.
    package var pathSegments: PathSegments { PathSegments(storage) }

    package var version: HTTPVersion { storage.line.version }

    /// Whether the client asks to keep the connection open and its HTTP version allows that.
    package var keepAlive: Bool { storage.keepAlive }

    private func isNamed(_ index: Int, _ name: Headers.Name) -> Bool {
        let range = storage.field(index).name
        let wanted = name.text.utf8
        guard range.count == wanted.count else { return false }
        let head = storage.head
        var position = range.start
        for byte in wanted {
            guard asciiLowercase(head[position]) == asciiLowercase(byte) else { return false }
            position &+= 1
        }
        return true
    }

    private func text(_ range: ByteRange) -> String {
        String(decoding: storage.bytes[range.range], as: UTF8.self)
    }
}
