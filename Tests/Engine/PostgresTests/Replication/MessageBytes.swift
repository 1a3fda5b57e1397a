/// Bytes of messages, big-endian, as the protocol has them.
struct MessageBytes {
    private(set) var bytes: [UInt8] = []

    init(_ kind: Character) { bytes = Array(String(kind).utf8) }

    func byte(_ value: UInt8) -> MessageBytes { adding([value]) }

    func kind(_ letter: Character) -> MessageBytes { adding(Array(String(letter).utf8)) }

    func text(_ value: String) -> MessageBytes { adding(Array(value.utf8) + [0]) }

    func integer<Value: FixedWidthInteger>(_ value: Value) -> MessageBytes {
        adding((0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) })
    }

    /// nil is NULL, and "…" an unchanged value.
    func row(_ cells: [String?]) -> MessageBytes {
        cells.reduce(integer(UInt16(cells.count))) { message, cell in
            switch cell {
            case nil: message.kind("n")
            case "…": message.kind("u")
            case let cell?: message.kind("t").integer(Int32(cell.utf8.count)).adding(Array(cell.utf8))
            }
        }
    }

    func adding(_ more: [UInt8]) -> MessageBytes {
        var copy = self
        copy.bytes += more
        return copy
    }
}
