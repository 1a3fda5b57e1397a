import SwiftletBytes

/// Cuts the content of a form, `multipart/form-data` (RFC 7578), into its parts.
///
///     parser.feed(chunk)
///     while let event = try parser.next() { … }
///
/// and at the end of the content ``finish()``. How the content is cut into chunks changes nothing, except into how many
/// pieces a part's data falls. It holds no more than one chunk, one head and one boundary.
public struct MultipartParser: Sendable {
    public enum Event: Hashable, Sendable {
        case part(MultipartHead)
        /// Some of the part's content, never empty.
        case data([UInt8])
        case endOfPart
        /// What follows is ignored (RFC 2046 §5.1.1).
        case end
    }

    public struct Limits: Sendable {
        public var headBytes = 8192
        public var parts = 100
        /// Of what precedes the first boundary, which clients never send.
        public var preambleBytes = 1024

        public init() {}
    }

    private enum Place {
        case preamble, boundary, head, data, epilogue
    }

    private let boundary: BoundarySearch
    private let limits: Limits
    private var place = Place.preamble
    /// What has been fed, and is in use from `start` on.
    private var buffer: [UInt8] = lineEnd
    private var start = 0
    private var skippedBytes = 0
    private var partCount = 0

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]
    private static let maximumPadding = 64

    /// `contentType` is that of the request. Throws ``MultipartError/badBoundary`` if it has none.
    public init(_ contentType: MediaType, limits: Limits = Limits()) throws(MultipartError) {
        guard let text = contentType.boundary, let boundary = BoundarySearch(text) else { throw .badBoundary }
        self.boundary = boundary
        self.limits = limits
        // The first boundary needs no line end before it, so one is put there.
    }

    public mutating func feed(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// What the content says next; nil if it needs more bytes. After an error, nothing more may be asked.
    public mutating func next() throws(MultipartError) -> Event? {
        while true {
            switch place {
            case .preamble: guard try skipPreamble() else { return nil }
            case .boundary:
                guard let isLast = try takeEndOfBoundary() else { return nil }
                place = isLast ? .epilogue : .head
                if isLast { return .end }
            case .head: return try takeHead().map(Event.part)
            case .data: return takeData()
            case .epilogue:
                start = buffer.count
                return nil
            }
        }
    }

    /// Throws ``MultipartError/incomplete`` unless the last boundary has come.
    public func finish() throws(MultipartError) {
        guard place == .epilogue else { throw .incomplete }
    }

    private mutating func skipPreamble() throws(MultipartError) -> Bool {
        let found = boundary.find(in: buffer.span, from: start)
        let end = found ?? boundary.possibleStart(in: buffer.span, from: start)
        skippedBytes += end - start
        start = end
        guard skippedBytes <= limits.preambleBytes else { throw .preambleTooLarge }
        guard found != nil else { return false }
        start += boundary.count
        place = .boundary
        return true
    }

    /// Whether the boundary was the last one; nil if the bytes behind it are yet to come.
    private mutating func takeEndOfBoundary() throws(MultipartError) -> Bool? {
        var rest = buffer[start...]
        if rest.starts(with: [UInt8(ascii: "-"), UInt8(ascii: "-")]) {
            start += 2
            return true
        }
        if rest.count == 1, rest.first == UInt8(ascii: "-") { return nil }
        rest = rest.drop(while: isOptionalWhitespace)
        guard rest.startIndex - start <= Self.maximumPadding else { throw .badDelimiter }
        if rest.starts(with: Self.lineEnd) {
            start = rest.startIndex + 2
            return false
        }
        guard rest.isEmpty || rest.count == 1 && rest.first == 0x0D else { throw .badDelimiter }
        return nil
    }

    private mutating func takeHead() throws(MultipartError) -> MultipartHead? {
        let rest = buffer[start...].prefix(limits.headBytes)
        // A line end at once would be a head without fields, which no part of a form has.
        guard let end = Self.endOfHead(in: rest) else {
            guard rest.count < limits.headBytes else { throw .headTooLarge }
            if rest.starts(with: Self.lineEnd) { throw .badHead }
            return nil
        }
        partCount += 1
        guard partCount <= limits.parts else { throw .tooManyParts }
        let head = try MultipartHead(lines: rest[..<end])
        start = end + 2
        place = .data
        return head
    }

    /// Where the empty line begins.
    private static func endOfHead(in bytes: ArraySlice<UInt8>) -> Int? {
        let span = bytes.span
        for index in stride(from: 2, to: span.count - 1, by: 1)
        where span[index] == 0x0D && span[index + 1] == 0x0A && span[index - 1] == 0x0A && span[index - 2] == 0x0D {
            return bytes.startIndex + index
        }
        return nil
    }

    private mutating func takeData() -> Event? {
        let found = boundary.find(in: buffer.span, from: start)
        let end = found ?? boundary.possibleStart(in: buffer.span, from: start)
        guard end == start else {
            defer { start = end }
            return .data(Array(buffer[start..<end]))
        }
        guard found != nil else { return nil }
        start += boundary.count
        place = .boundary
        return .endOfPart
    }
}
