extension Span<UInt8> {
    /// Whether the bytes are equal to those of `text`.
    func isText(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where unsafe self[index] != text.utf8Start[index] { return false }
        return true
    }
}

extension String {
    /// Ill-formed UTF-8 becomes U+FFFD.
    init(decoding bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
