import SwiftletEventLoop

/// Bytes that are still to be sent. Owns no memory while empty.
struct OutputBuffer {
    var bytes: [UInt8] = []
    private var start = 0

    /// Memory is released only if at least this much is spare, because the rest must be copied.
    private static let releasedBytes = 65_536

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }
    /// The memory that it takes.
    var capacity: Int { bytes.capacity }

    func write(over transport: borrowing ClientSocket) -> TransferResult {
        transport.write(bytes, from: start)
    }

    mutating func append(_ new: ArraySlice<UInt8>) {
        bytes += new
    }

    mutating func consume(_ count: Int) {
        start += count
        if start == bytes.count { removeAll() }
    }

    /// Releases memory that what is left does not need, as a slow client may hold it for long. On average, each byte is
    /// moved twice at most.
    mutating func trim() {
        let spare = bytes.capacity - count
        guard spare >= Self.releasedBytes, spare >= count / 2 else { return }
        bytes = Array(bytes[start...])
        start = 0
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }
}
