/// A set of ASCII bytes in two words, so that a membership test loads no table and no lazily initialized global.
struct ByteSet: Sendable {
    private let low: UInt64
    private let high: UInt64

    @inline(__always)
    init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let half = byte & 0x40 == 0 ? low : high
        return byte < 0x80 && (half &>> UInt64(byte & 0x3F)) & 1 != 0
    }
}

extension ByteSet {
    /// RFC 9110 §5.6.2, `tchar`.
    @inline(__always)
    static var token: ByteSet { ByteSet(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE) }

    /// `pchar` and "/" of RFC 3986 §3.3 without "%", plus "[", "]" and "|", which browsers send unencoded.
    @inline(__always)
    static var path: ByteSet { ByteSet(low: 0x2FFF_FFD2_0000_0000, high: 0x57FF_FFFE_AFFF_FFFF) }

    /// Every visible ASCII byte but "%" and "#": `query` of RFC 3986 §3.4 plus what clients leave unencoded.
    @inline(__always)
    static var query: ByteSet { ByteSet(low: 0xFFFF_FFD6_0000_0000, high: 0x7FFF_FFFF_FFFF_FFFF) }

    /// RFC 3986 §2.3, `unreserved`.
    @inline(__always)
    static var unreserved: ByteSet { ByteSet(low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE) }
}
