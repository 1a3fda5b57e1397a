/// A list that needs no allocation of its own until it is longer than most.
struct CompactTable<Element: BitwiseCopyable & Sendable>: Sendable {
    private var first: InlineArray<16, Element>
    private var others: [Element] = []
    private(set) var count = 0

    /// `filler` stands in the unused places.
    init(filler: Element) {
        first = InlineArray(repeating: filler)
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count < 16 { first[count] = element } else { others.append(element) }
        count &+= 1
    }

    @inline(__always)
    subscript(index: Int) -> Element {
        index < 16 ? first[index] : others[index &- 16]
    }

    mutating func removeAll() {
        count = 0
        if !others.isEmpty { others = [] }
    }
}
