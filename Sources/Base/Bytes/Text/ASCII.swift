/// ASCII only: other bytes stay as they are.
@inlinable
@inline(__always)
package func asciiLowercase(_ byte: UInt8) -> UInt8 {
    byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
}

@inlinable
@inline(__always)
package func isDecimalDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
}

/// Nil unless the byte is a hexadecimal digit, in either case.
@inlinable
@inline(__always)
package func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    let digit = byte &- UInt8(ascii: "0")
    if digit < 10 { return digit }
    let letter = (byte | 0x20) &- UInt8(ascii: "a")
    return letter < 6 ? letter &+ 10 : nil
}
