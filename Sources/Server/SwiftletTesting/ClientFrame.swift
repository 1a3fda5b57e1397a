/// A masked frame as a client of a WebSocket sends it, or a deformed one.
package struct ClientFrame {
    package var first: UInt8
    package var payload: [UInt8]
    /// In place of the shortest form of the length.
    package var length: [UInt8]?
    package var isMasked: Bool
    private let mask: [UInt8]

    package init(
        first: UInt8,
        payload: [UInt8] = [],
        mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D],
        length: [UInt8]? = nil,
        isMasked: Bool = true
    ) {
        self.mask = mask
        self.first = first
        self.payload = payload
        self.length = length
        self.isMasked = isMasked
    }

    package static func text(_ text: String, isFinal: Bool = true) -> ClientFrame {
        ClientFrame(first: isFinal ? 0x81 : 0x01, payload: Array(text.utf8))
    }

    package static func continuation(_ payload: [UInt8], isFinal: Bool) -> ClientFrame {
        ClientFrame(first: isFinal ? 0x80 : 0x00, payload: payload)
    }

    package static func close(_ code: UInt16) -> ClientFrame {
        ClientFrame(first: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    package var bytes: [UInt8] {
        var length = self.length ?? Self.shortest(payload.count)
        if isMasked { length[0] |= 0x80 }
        let content = isMasked ? payload.enumerated().map { $0.element ^ mask[$0.offset % 4] } : payload
        return [first] + length + (isMasked ? mask : []) + content
    }

    private static func shortest(_ count: Int) -> [UInt8] {
        switch count {
        case ...125: [UInt8(count)]
        case ...0xFFFF: [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [127] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: count >> $0) }
        }
    }
}
