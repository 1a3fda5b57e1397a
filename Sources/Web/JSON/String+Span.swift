extension String {
    /// The bytes as UTF-8; what is not valid becomes U+FFFD.
    package init(utf8 bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
