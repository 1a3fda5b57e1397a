import EventLoop

/// Bytes that are still to be sent. Owns no memory while empty.
struct OutputBuffer {
    var bytes: [UInt8] = []
    private var start = 0

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
        if start == bytes.count { removeAll() }
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
