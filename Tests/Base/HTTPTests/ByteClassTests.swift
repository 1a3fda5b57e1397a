import SwiftletHTTP
import Testing

/// Puts every byte there is into every place of a head and compares with the grammar, at several distances from the
/// eight-byte steps of the scanners.
@Suite struct ByteClassTests {
    struct Place: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let before: String
        let after: String
        let allowed: Set<UInt8>
    }

    private static let alphanumeric = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let token = alphanumeric.union("!#$%&'*+-.^_`|~".utf8)
    private static let unreserved = alphanumeric.union("-._~".utf8)
    private static let path = unreserved.union("!$&'()*+,;=:@/".utf8).union("[]|".utf8).union("?".utf8)
    private static let visible = Set(0x21...0x7E as ClosedRange<UInt8>)
    private static let rest = "\r\nHost: a\r\n\r\n"

    static let places: [Place] = [
        // A space in a method would leave the wrong target, a control byte is none of a token.
        Place(testDescription: "method", before: "GE", after: "T / HTTP/1.1\(rest)", allowed: token),
        Place(testDescription: "path", before: "GET /a", after: "b HTTP/1.1\(rest)", allowed: path),
        Place(
            testDescription: "query",
            before: "GET /?a",
            after: "b HTTP/1.1\(rest)",
            allowed: visible.subtracting("#".utf8)
        ),
        // A colon ends the name and leaves a value.
        Place(
            testDescription: "field name",
            before: "GET / HTTP/1.1\r\nHost: a\r\nX",
            after: "Y: b\r\n\r\n",
            allowed: token.union(":".utf8)
        ),
        Place(
            testDescription: "field value",
            before: "GET / HTTP/1.1\r\nHost: a\r\nX: a",
            after: "b\r\n\r\n",
            allowed: visible.union([0x09, 0x20]).union(0x80...0xFF)
        ),
        Place(
            testDescription: "host",
            before: "GET / HTTP/1.1\r\nHost: a",
            after: "b\r\n\r\n",
            allowed: unreserved
        ),
        Place(
            testDescription: "chunk extension",
            before: "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0;a=\"b",
            after: "c\"\r\n\r\n",
            allowed: visible.union([0x09, 0x20]).union(0x80...0xFF).subtracting("\"".utf8)
        ),
    ]

    @Test(arguments: places, 0..<17)
    func `each part of a message accepts the bytes of its grammar and no others`(place: Place, distance: Int) {
        let filling = String(repeating: "z", count: distance)
        for byte in UInt8.min...UInt8.max {
            let bytes = Array((place.before + filling).utf8) + [byte] + Array(place.after.utf8)
            let delivery = Delivery(bytes)
            #expect((delivery.error == nil) == place.allowed.contains(byte), "byte \(byte)")
            #expect(delivery.requests.count == (delivery.error == nil ? 1 : 0), "byte \(byte)")
        }
    }
}
