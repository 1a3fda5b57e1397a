/// A range of offsets into a request's head, in 16 bits each: a head is no larger (``RequestLimits/headBytes``).
struct ByteRange: BitwiseCopyable, Sendable {
    private let lower: UInt16
    private let upper: UInt16

    /// The bounds are ordered and at most 65 535, as the parser guarantees.
    @inline(__always)
    init(_ start: Int, _ end: Int) {
        lower = UInt16(truncatingIfNeeded: start)
        upper = UInt16(truncatingIfNeeded: end)
    }

    static var none: ByteRange { ByteRange(0, 0) }

    @inline(__always)
    var start: Int { Int(lower) }
    @inline(__always)
    var end: Int { Int(upper) }
    @inline(__always)
    var count: Int { end &- start }
    @inline(__always)
    var isEmpty: Bool { lower == upper }
    @inline(__always)
    var range: Range<Int> { start..<end }
}
