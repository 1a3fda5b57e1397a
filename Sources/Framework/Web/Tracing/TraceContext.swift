/// Which trace a span belongs to, and which span it is: what `traceparent` carries (W3C Trace Context §3.2).
package struct TraceContext: Hashable, Sendable {
    /// The two halves of the trace's id; not both are 0.
    let high: UInt64
    let low: UInt64
    /// Never 0.
    let span: UInt64
    let isSampled: Bool

    init(high: UInt64, low: UInt64, span: UInt64, isSampled: Bool) {
        self.high = high
        self.low = low
        self.span = span
        self.isSampled = isSampled
    }

    /// A new trace.
    init(isSampled: (_ low: UInt64) -> Bool) {
        high = .random(in: .min ... .max)
        low = .random(in: 1 ... .max)
        span = .random(in: 1 ... .max)
        self.isSampled = isSampled(low)
    }

    /// nil for what is no `traceparent`. Versions after 00 may be longer (§4.3); only their first four fields are read.
    package init?(_ header: String) {
        let bytes = Array(header.utf8)
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = UInt64(lowercaseHex: bytes[0..<2]), version != 0xFF,
            version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == dash,
            let high = UInt64(lowercaseHex: bytes[3..<19]), let low = UInt64(lowercaseHex: bytes[19..<35]),
            let span = UInt64(lowercaseHex: bytes[36..<52]), let flags = UInt64(lowercaseHex: bytes[53..<55]),
            high | low != 0, span != 0
        else { return nil }
        self.init(high: high, low: low, span: span, isSampled: flags & 1 == 1)
    }

    /// Another span of the same trace.
    func child() -> TraceContext {
        TraceContext(high: high, low: low, span: .random(in: 1 ... .max), isSampled: isSampled)
    }

    package var traceID: String { high.hex + low.hex }
    package var spanID: String { span.hex }

    package var header: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }
}

private let dash = UInt8(ascii: "-")

extension UInt64 {
    /// Upper case is refused (§3.2.2.1).
    fileprivate init?(lowercaseHex digits: ArraySlice<UInt8>) {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit &- UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit &- UInt8(ascii: "a") &+ 10)
            default: return nil
            }
        }
        self = value
    }

    /// 16 digits.
    var hex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
