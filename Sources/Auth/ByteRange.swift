/// A part of a token's bytes, in half the size of a `Range<Int>`; tokens are small.
struct ByteRange: Sendable {
    private let lower: UInt32
    private let upper: UInt32

    /// Stands for "not there": nothing that is found in a JSON object is at its very start.
    static let none = ByteRange(0, 0)

    init(_ lower: Int, _ upper: Int) {
        self.lower = UInt32(truncatingIfNeeded: lower)
        self.upper = UInt32(truncatingIfNeeded: upper)
    }

    var isPresent: Bool { upper != 0 }

    var range: Range<Int> { Int(lower)..<Int(upper) }
}
