/// Finds the lines of a message, however its bytes arrive, and looks at each byte at most three times.
struct LineScanner {
    /// Where the next line begins.
    private(set) var start = 0
    /// There is no line feed between `start` and here.
    private var searched = 0

    /// Whether nothing of the next line has been looked at.
    @inline(__always)
    var isFresh: Bool { searched == start }

    /// Skips a line that was found in another way.
    @inline(__always)
    mutating func skip(to next: Int) {
        start = next
        searched = next
    }

    /// The next complete line without its CR LF, or nil while its line feed is missing.
    ///
    /// `bytes` begins where it began at the last call, and ends at the limit of the message at the latest. A line is
    /// judged when its line feed is there, so that the result does not depend on how the bytes are split.
    @inline(__always)
    mutating func next(in bytes: borrowing Span<UInt8>) throws(ParseError) -> Range<Int>? {
        if searched > start {
            guard bytes.firstLineFeed(from: searched) != nil else {
                searched = bytes.count
                return nil
            }
        }
        let control = bytes.firstControl(from: start)
        let line = start..<control
        if control &+ 1 < bytes.count, bytes[control] == UInt8(ascii: "\r"), bytes[control &+ 1] == UInt8(ascii: "\n") {
            skip(to: control &+ 2)
            return line
        }
        return try nextUnusual(in: bytes, from: control)
    }

    /// Handles a line with control bytes in it, or one that is incomplete.
    @inline(never)
    private mutating func nextUnusual(
        in bytes: borrowing Span<UInt8>,
        from control: Int
    ) throws(ParseError) -> Range<Int>? {
        guard let lineFeed = bytes.firstLineFeed(from: control) else {
            searched = bytes.count
            return nil
        }
        // RFC 9112 §2.2 allows a recipient to take a bare LF for the end of a line. Recipients that disagree about it
        // enable request smuggling, so it is refused, as is a bare CR.
        guard lineFeed > start, bytes[lineFeed &- 1] == UInt8(ascii: "\r") else { throw .bareLineFeed }
        let line = start..<(lineFeed &- 1)
        for index in line where isControl(bytes[index]) && bytes[index] != UInt8(ascii: "\t") {
            throw bytes[index] == UInt8(ascii: "\r") ? .bareCarriageReturn : .controlByte
        }
        skip(to: lineFeed &+ 1)
        return line
    }
}
