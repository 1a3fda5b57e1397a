import EventLoop

/// Bytes that are still to be sent. Owns no memory while empty.
struct OutputBuffer {
    var bytes: [UInt8] = []
    private var start = 0

    /// So much is worth the move of what follows it.
    private static let releasedBytes = 262_144

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    func write(over transport: borrowing Transport) -> TransferResult {
        transport.write(bytes, from: start)
    }

    mutating func append(_ new: ArraySlice<UInt8>) {
        bytes += new
    }

    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { return removeAll() }
        // A slow client shall not hold what it has read. Each byte is moved once at most, on average.
        guard start >= Self.releasedBytes, start >= bytes.count / 2 else { return }
        bytes = Array(bytes[start...])
        start = 0
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
