/// Writes the frames of a server: whole, unmasked (RFC 6455 §5).
package enum WebSocketFrames {
    package static func text(_ payload: [UInt8]) -> [UInt8] { frame(0x81, payload) }

    package static func binary(_ payload: [UInt8]) -> [UInt8] { frame(0x82, payload) }

    /// At most 125 bytes.
    package static func ping(_ payload: [UInt8] = []) -> [UInt8] { frame(0x89, payload) }

    package static func pong(_ payload: [UInt8]) -> [UInt8] { frame(0x8A, payload) }

    package static func close(_ code: WebSocketCloseCode?) -> [UInt8] {
        guard let code else { return frame(0x88, []) }
        return frame(0x88, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)])
    }

    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 10)
        bytes.append(first)
        switch payload.count {
        case ...125: bytes.append(UInt8(payload.count))
        case ...0xFFFF: bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            bytes.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: payload.count >> shift))
            }
        }
        bytes += payload
        return bytes
    }
}
