/// What an authenticator answers to the request for a new credential (WebAuthn §6.5).
struct AttestationObject: Sendable {
    enum Format: String, Sendable {
        case none
        case packed
    }

    let format: Format
    /// The statement as CBOR.
    let statement: [UInt8]
    /// Whether the statement has a certificate; otherwise the new key itself has signed.
    let hasCertificate: Bool
    let data: AuthenticatorData

    init(_ bytes: [UInt8]) throws(PasskeyFault) {
        var reader = CBORReader(bytes)
        let object = try reader.next()
        guard reader.isAtEnd, let name = object["fmt"]?.text, let statement = object["attStmt"]?.map,
            let data = object["authData"]?.bytes
        else { throw .malformed }
        guard let format = Format(rawValue: name) else { throw .unsupportedAttestation }
        // A statement of nothing that says something is neither.
        guard format != .none || statement.isEmpty else { throw .malformed }
        self.format = format
        self.statement = try Self.statement(in: bytes)
        hasCertificate = statement[.text("x5c")] != nil
        self.data = try AuthenticatorData(data)
    }

    /// The bytes of `attStmt`, which libfido2 reads by itself.
    private static func statement(in bytes: [UInt8]) throws(PasskeyFault) -> [UInt8] {
        // A map with so few members that their number stands in its first byte.
        guard let head = bytes.first, (0xA0..<0xB8).contains(head) else { throw .malformed }
        var reader = CBORReader(bytes, from: 1)
        while !reader.isAtEnd {
            let key = try reader.next()
            let start = reader.offset
            _ = try reader.next()
            if key == .text("attStmt") { return reader.bytes(since: start) }
        }
        throw .malformed
    }
}
