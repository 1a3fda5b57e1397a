#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Values of one query in PostgreSQL's text format, in one contiguous buffer.
///
/// Values are laid out as a four-byte length (−1 for NULL), the bytes and a NUL, because libpq takes text as C strings.
/// A NUL inside a value would cut it short: it sets ``fault``, and the query is refused before anything is sent.
package struct Parameters: Sendable {
    package private(set) var count = 0
    /// Why these parameters cannot be sent; nil when they can.
    package private(set) var fault: PostgresError?
    private(set) var storage: [UInt8]

    /// The protocol counts parameters in 16 bits.
    private static let maximumCount = 65_535
    /// A protocol message may have 1 GiB; half of it leaves room for what libpq adds.
    private static let maximumBytes = 512 << 20

    package static let none = Parameters(minimumCapacity: 0)

    package init(minimumCapacity: Int = 96) {
        storage = []
        storage.reserveCapacity(minimumCapacity)
    }

    package mutating func append(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        append(utf8: text.utf8.span)
    }

    package mutating func append(_ text: String?) {
        if let text { append(text) } else { appendNull() }
    }

    package mutating func append(utf8 bytes: borrowing Span<UInt8>) {
        guard begin(length: bytes.count) else { return }
        unsafe bytes.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress, unsafe memchr(start, 0, buffer.count) != nil { fault = .nulInParameter }
            unsafe storage.append(contentsOf: buffer)
        }
        storage.append(0)
    }

    package mutating func append(_ value: Int) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = value.magnitude
        repeat {
            first &-= 1
            digits[first] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest != 0
        if value < 0 {
            first &-= 1
            digits[first] = UInt8(ascii: "-")
        }
        guard begin(length: 20 &- first) else { return }
        for index in first..<20 { storage.append(digits[index]) }
        storage.append(0)
    }

    package mutating func append(_ value: Bool) {
        guard begin(length: 1) else { return }
        storage.append(UInt8(ascii: value ? "t" : "f"))
        storage.append(0)
    }

    package mutating func append(_ value: Double) {
        if value.isFinite { return append(value.description) }
        append(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    }

    /// One parameter of an array type, as in `= ANY($1)`; nil elements become NULL.
    package mutating func append(array elements: some Sequence<String?>) {
        append(utf8: ArrayLiteral.make(elements).span)
    }

    package mutating func appendNull() {
        guard begin(length: -1) else { return }
        storage.append(0)
    }

    /// The bytes of each value; nil for NULL.
    package var values: [[UInt8]?] {
        var values: [[UInt8]?] = []
        var start = 0
        while start < storage.count {
            let prefix = storage[start..<(start + 4)].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let length = Int(Int32(bitPattern: prefix))
            values.append(length < 0 ? nil : Array(storage[(start + 4)..<(start + 4 + length)]))
            start += 5 + max(0, length)
        }
        return values
    }

    package mutating func append(contentsOf other: Parameters) {
        guard count + other.count <= Self.maximumCount else { return fault = .tooManyParameters }
        guard storage.count + other.storage.count <= Self.maximumBytes else { return fault = .oversizedParameters }
        count += other.count
        storage += other.storage
        fault = fault ?? other.fault
    }

    private mutating func begin(length: Int) -> Bool {
        guard count < Self.maximumCount else {
            fault = .tooManyParameters
            return false
        }
        guard storage.count &+ length < Self.maximumBytes else {
            fault = .oversizedParameters
            return false
        }
        count &+= 1
        let prefix = UInt32(bitPattern: Int32(truncatingIfNeeded: length))
        storage.append(UInt8(truncatingIfNeeded: prefix))
        storage.append(UInt8(truncatingIfNeeded: prefix >> 8))
        storage.append(UInt8(truncatingIfNeeded: prefix >> 16))
        storage.append(UInt8(truncatingIfNeeded: prefix >> 24))
        return true
    }
}
