/// Reads the content of one message as it arrives (RFC 9112 §6, §7).
///
/// Memory grows with the bytes that have arrived, never with the announced length.
struct BodyReader {
    private enum State {
        /// The missing bytes of content with a known length.
        case length(Int)
        case chunkSize
        /// The missing bytes of this chunk.
        case chunk(Int)
        case chunkEnd
        case trailers
    }

    private var state: State
    private var scanner = LineScanner()
    private var extensionBudget: Int
    private var trailerBudget: Int
    private let maximumBytes: Int
    /// What has arrived and was not drained.
    private(set) var content: [UInt8] = []
    private var drained = 0

    init(length: Int) {
        state = .length(length)
        extensionBudget = 0
        trailerBudget = 0
        maximumBytes = length
    }

    init(chunkedWithin limits: borrowing RequestLimits) {
        state = .chunkSize
        extensionBudget = limits.chunkExtensionBytes
        trailerBudget = limits.trailerBytes
        maximumBytes = limits.bodyBytes
    }

    /// Takes as many bytes as belong to the message, and tells how many that were and whether the message is complete.
    mutating func read(_ bytes: borrowing Span<UInt8>) throws(ParseError) -> (consumed: Int, isComplete: Bool) {
        var consumed = 0
        while true {
            switch state {
            case .length(let remaining):
                let left = take(remaining, of: bytes, &consumed)
                state = .length(left)
                return (consumed, left == 0)
            case .chunkSize:
                guard let size = try readSize(bytes, &consumed) else { return (consumed, false) }
                state = size == 0 ? .trailers : .chunk(size)
            case .chunk(let remaining):
                let left = take(remaining, of: bytes, &consumed)
                guard left == 0 else {
                    state = .chunk(left)
                    return (consumed, false)
                }
                state = .chunkEnd
            case .chunkEnd:
                guard try readChunkEnd(bytes, &consumed) else { return (consumed, false) }
                state = .chunkSize
            case .trailers:
                guard let isLast = try readTrailer(bytes, &consumed) else { return (consumed, false) }
                if isLast { return (consumed, true) }
            }
        }
    }

    /// Gives what has arrived away.
    mutating func drain() -> [UInt8] {
        defer { content = [] }
        drained += content.count
        return content
    }

    /// Appends up to `wanted` bytes and returns how many of them are still missing.
    private mutating func take(_ wanted: Int, of bytes: borrowing Span<UInt8>, _ consumed: inout Int) -> Int {
        let taken = min(wanted, bytes.count &- consumed)
        if taken > 0 {
            let part = bytes.extracting(consumed..<(consumed &+ taken))
            unsafe part.withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
            consumed &+= taken
        }
        return wanted &- taken
    }

    /// The size of the next chunk; nil while its line is incomplete.
    private mutating func readSize(_ bytes: borrowing Span<UInt8>, _ consumed: inout Int) throws(ParseError) -> Int? {
        let limit = ChunkLine.maximumDigits + extensionBudget + 2
        let visible = bytes.extracting(consumed..<min(bytes.count, consumed &+ limit))
        guard let line = try scanner.next(in: visible) else {
            if visible.count == limit { throw .chunkExtensionTooLarge }
            return nil
        }
        let (size, digits) = try ChunkLine.parse(visible, line)
        extensionBudget -= line.count - digits
        guard extensionBudget >= 0 else { throw .chunkExtensionTooLarge }
        guard size <= maximumBytes - content.count - drained else { throw .bodyTooLarge }
        consumed &+= line.count &+ 2
        scanner = LineScanner()
        return size
    }

    /// The CR LF after a chunk's data. False while it is incomplete.
    private func readChunkEnd(_ bytes: borrowing Span<UInt8>, _ consumed: inout Int) throws(ParseError) -> Bool {
        guard consumed < bytes.count else { return false }
        guard bytes[consumed] == UInt8(ascii: "\r") else { throw .malformedChunk }
        guard consumed &+ 1 < bytes.count else { return false }
        guard bytes[consumed &+ 1] == UInt8(ascii: "\n") else { throw .malformedChunk }
        consumed &+= 2
        return true
    }

    /// Checks one trailer field and drops it. True for the empty line at the end, nil while the line is incomplete.
    private mutating func readTrailer(
        _ bytes: borrowing Span<UInt8>,
        _ consumed: inout Int
    ) throws(ParseError) -> Bool? {
        // The empty line at the end does not count.
        let limit = trailerBudget + 2
        let visible = bytes.extracting(consumed..<min(bytes.count, consumed &+ limit))
        guard let line = try scanner.next(in: visible) else {
            if visible.count == limit { throw .trailerTooLarge }
            return nil
        }
        if !line.isEmpty {
            trailerBudget -= line.count + 2
            guard trailerBudget >= 0 else { throw .trailerTooLarge }
            let field = try FieldLine.parse(visible, line)
            if MessageFraming.governs(field, in: visible) { throw .malformedTrailer }
        }
        consumed &+= line.count &+ 2
        scanner = LineScanner()
        return line.isEmpty
    }
}
