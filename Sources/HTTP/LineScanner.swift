/// Finds the lines of a message, however the bytes arrive, without looking at a byte more than thrice.
struct LineScanner {
    /// Where the awaited line begins.
    private(set) var start = 0
    /// No line feed stands between `start` and here.
    private var searched = 0

    /// Whether nothing of the awaited line has been looked at.
    @inline(__always)
    var isFresh: Bool { searched == start }

    /// Passes over a line that another way has found.
    @inline(__always)
    mutating func skip(to next: Int) {
        start = next
        searched = next
    }

    /// The next whole line without its CR LF, or nil while its line feed is not there.
    ///
    /// `bytes` begins where it began at the last call and ends where the message's limit lies at the latest. A line is
    /// judged once its line feed is there, so that the verdict does not depend on how the bytes were cut.
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

    /// A line with control bytes in it, or one that has not ended yet.
    @inline(never)
    private mutating func nextUnusual(
        in bytes: borrowing Span<UInt8>,
        from control: Int
    ) throws(ParseError) -> Range<Int>? {
        guard let lineFeed = bytes.firstLineFeed(from: control) else {
            searched = bytes.count
            return nil
        }
        // RFC 9112 §2.2 lets a recipient take a bare LF for a line's end; two that disagree about it can be played
        // against each other, so it is refused, as is a bare CR.
        guard lineFeed > start, bytes[lineFeed &- 1] == UInt8(ascii: "\r") else { throw .bareLineFeed }
        let line = start..<(lineFeed &- 1)
        for index in line where isControl(bytes[index]) && bytes[index] != UInt8(ascii: "\t") {
            throw bytes[index] == UInt8(ascii: "\r") ? .bareCarriageReturn : .controlByte
        }
        skip(to: lineFeed &+ 1)
        return line
    }
}
