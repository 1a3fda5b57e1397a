/// Received bytes that are not used yet. Owns no memory while empty.
struct InputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    var span: Span<UInt8> {
        @_lifetime(borrow self)
        get { bytes.span.extracting(start...) }
    }

    var allBytes: [UInt8] { Array(bytes[start...]) }

    mutating func append(_ new: borrowing Span<UInt8>) {
        guard !new.isEmpty else { return }
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { removeAll() }
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
