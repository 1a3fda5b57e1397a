extension String {
    /// Bytes that are not UTF-8 become U+FFFD.
    init(decoding bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
