extension Span<UInt8> {
    /// Whether the bytes are equal to those of `text`.
    package func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where unsafe self[index] != text.utf8Start[index] { return false }
        return true
    }
}

extension String {
    /// The bytes as UTF-8; what is not valid becomes U+FFFD.
    package init(utf8 bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
