import SwiftletBytes
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// The reader of what authenticators write, fed by hostile clients.
@Suite struct CBORTests {
    @Test(arguments: [
        ("00", CBOR.integer(0)), ("1864", .integer(100)), ("1903e8", .integer(1000)), ("20", .integer(-1)),
        ("390100", .integer(-257)), ("1b7fffffffffffffff", .integer(.max)), ("3b7fffffffffffffff", .integer(.min)),
        ("43010203", .bytes([1, 2, 3])), ("6161", .text("a")), ("8201f5", .array([.integer(1), .bool(true)])),
        ("a16161f6", .map([.text("a"): .null])), ("a0", .map([:])),
    ])
    func `reads values`(hexadecimal: String, value: CBOR) throws {
        let bytes = try #require(Hexadecimal.decode(hexadecimal))
        var reader = CBORReader(bytes)
        #expect(try reader.next() == value)
        #expect(reader.isAtEnd)
        // Cut anywhere, it is not there yet.
        for count in 0..<bytes.count {
            var reader = CBORReader(Array(bytes.prefix(count)))
            #expect(throws: PasskeyFault.malformed) { try reader.next() }
        }
    }

    @Test(arguments: [
        "1bffffffffffffffff", "3bffffffffffffffff", "5f4101ff", "9f01ff", "bf01ff", "c001", "f93c00", "f7", "1c",
        "62c328",
        "a201010102", "a18001", "5b7fffffffffffffff00", "9b7fffffffffffffff", "9a00010000",
        "818181818181818181", "1f",
    ])
    func `refuses what CTAP2 does not allow, and what is too large`(hexadecimal: String) throws {
        var reader = CBORReader(try #require(Hexadecimal.decode(hexadecimal)))
        #expect(throws: PasskeyFault.malformed) { try reader.next() }
    }

    @Test func `survives noise, and an authenticator's data that is cut or changed`() throws {
        var random = SeededGenerator(seed: 31)
        for _ in 1...2000 {
            let bytes = (0..<Int.random(in: 1...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var reader = CBORReader(bytes)
            _ = try? reader.next()
            _ = try? AttestationObject(bytes)
            _ = try? AuthenticatorData(bytes)
            _ = try? CredentialKey(bytes)
        }
    }
}
