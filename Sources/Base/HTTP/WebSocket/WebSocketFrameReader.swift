/// Reads the frames of a client (RFC 6455 §5). No I/O; owns no memory between messages.
///
/// After an error nothing further can be read.
package struct WebSocketFrameReader {
    private enum Opcode {
        static let continuation: UInt8 = 0
        static let text: UInt8 = 1
        static let binary: UInt8 = 2
        static let close: UInt8 = 8
        static let ping: UInt8 = 9
        static let pong: UInt8 = 10
    }

    private struct Header {
        let isFinal: Bool
        let opcode: UInt8
        let length: Int
        let mask: (UInt8, UInt8, UInt8, UInt8)
        /// Of the header itself.
        let count: Int

        var isControl: Bool { opcode >= 8 }
    }

    private static let maximumControlBytes = 125

    private let maximumMessageBytes: Int
    private let maximumFragments: Int
    /// Bytes that are not a whole frame yet.
    private var buffer: [UInt8] = []
    private var start = 0
    /// The message of which fragments have come, and whether it is text.
    private var fragments: [UInt8] = []
    private var fragmentsAreText: Bool?
    private var fragmentCount = 0

    /// A message may have `maximumMessageBytes` altogether. A fragment may be empty, so they are counted as well.
    package init(maximumMessageBytes: Int, maximumFragments: Int = WebSocketLimits().maximumFragments) {
        self.maximumMessageBytes = maximumMessageBytes
        self.maximumFragments = maximumFragments
    }

    /// How much of an incomplete message is held.
    package var heldBytes: Int { buffer.count - start + fragments.count }

    package mutating func append(_ bytes: borrowing Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
    }

    /// The next message; nil when more bytes are needed.
    package mutating func next() throws(WebSocketError) -> WebSocketMessage? {
        while let header = try readHeader() {
            guard buffer.count - start - header.count >= header.length else { return nil }
            let payload = takePayload(header)
            if header.isControl { return try control(header.opcode, payload) }
            if let message = try message(header, payload) { return message }
        }
        return nil
    }

    /// Checks the header as soon as it is there: a frame that is too long is not waited for.
    private func readHeader() throws(WebSocketError) -> Header? {
        let available = buffer.count - start
        guard available >= 2 else { return nil }
        let (first, second) = (buffer[start], buffer[start + 1])
        let opcode = first & 0x0F
        // Extensions are not negotiated, and clients mask what they send (§5.1, §5.2).
        guard first & 0x70 == 0, second & 0x80 != 0 else { throw WebSocketError(code: .protocolError) }
        let isFinal = first & 0x80 != 0
        switch opcode {
        case Opcode.continuation:
            guard fragmentsAreText != nil else { throw WebSocketError(code: .protocolError) }
        case Opcode.text, Opcode.binary:
            guard fragmentsAreText == nil else { throw WebSocketError(code: .protocolError) }
        case Opcode.close, Opcode.ping, Opcode.pong:
            guard isFinal, second & 0x7F <= Self.maximumControlBytes else {
                throw WebSocketError(code: .protocolError)
            }
        default: throw WebSocketError(code: .protocolError)
        }
        guard let (length, lengthCount) = try readLength(second & 0x7F, available) else { return nil }
        if opcode < 8, length > maximumMessageBytes - fragments.count { throw WebSocketError(code: .tooBig) }
        let maskStart = start + 2 + lengthCount
        guard buffer.count >= maskStart + 4 else { return nil }
        let mask = (buffer[maskStart], buffer[maskStart + 1], buffer[maskStart + 2], buffer[maskStart + 3])
        return Header(isFinal: isFinal, opcode: opcode, length: length, mask: mask, count: 6 + lengthCount)
    }

    private func readLength(_ short: UInt8, _ available: Int) throws(WebSocketError) -> (length: Int, bytes: Int)? {
        let count = short == 126 ? 2 : short == 127 ? 8 : 0
        guard count > 0 else { return (Int(short), 0) }
        guard available >= 2 + count else { return nil }
        var length: UInt64 = 0
        for index in 0..<count { length = length << 8 | UInt64(buffer[start + 2 + index]) }
        // The shortest form, and no sign bit (§5.2).
        guard length >= (count == 2 ? 126 : 65_536), length <= UInt64(Int64.max) else {
            throw WebSocketError(code: .protocolError)
        }
        return (Int(length), count)
    }

    private mutating func takePayload(_ header: Header) -> [UInt8] {
        let from = start + header.count
        var payload = Array(buffer[from..<from + header.length])
        let mask = [header.mask.0, header.mask.1, header.mask.2, header.mask.3]
        var bytes = payload.mutableSpan
        for index in bytes.indices { bytes[index] ^= mask[index & 3] }
        start = from + header.length
        if start == buffer.count {
            buffer = []
            start = 0
        }
        return payload
    }

    private mutating func message(_ header: Header, _ payload: [UInt8]) throws(WebSocketError) -> WebSocketMessage? {
        let isText = fragmentsAreText ?? (header.opcode == Opcode.text)
        guard header.isFinal else {
            fragmentCount += 1
            guard fragmentCount < maximumFragments else { throw WebSocketError(code: .tooBig) }
            fragmentsAreText = isText
            fragments += payload
            return nil
        }
        var whole = payload
        if fragmentsAreText != nil {
            whole = fragments + payload
            fragments = []
            fragmentsAreText = nil
            fragmentCount = 0
        }
        guard isText else { return .binary(whole) }
        guard Self.isText(whole) else { throw WebSocketError(code: .invalidText) }
        return .text(whole)
    }

    private func control(_ opcode: UInt8, _ payload: [UInt8]) throws(WebSocketError) -> WebSocketMessage {
        switch opcode {
        case Opcode.ping: return .ping(payload)
        case Opcode.pong: return .pong
        default:
            guard !payload.isEmpty else { return .close(nil) }
            guard payload.count >= 2 else { throw WebSocketError(code: .protocolError) }
            let code = WebSocketCloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
            guard code.maySend else { throw WebSocketError(code: .protocolError) }
            guard Self.isText(Array(payload.dropFirst(2))) else { throw WebSocketError(code: .invalidText) }
            return .close(code)
        }
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        (try? UTF8Span(validating: bytes.span)) != nil
    }
}
