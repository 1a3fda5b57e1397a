package import SwiftletBytes

// The macros of Testing cannot capture a `Span`, so tests pass arrays.

extension Base64URL {
    package static func decode(bytes: [UInt8]) -> [UInt8]? { decode(bytes.span) }
    package static func encode(bytes: [UInt8]) -> String { encode(bytes.span) }
}
