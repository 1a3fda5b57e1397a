/// What an authenticator signs (WebAuthn §6.1).
struct AuthenticatorData: Sendable {
    let bytes: [UInt8]
    let relyingPartyHash: [UInt8]
    let flags: Flags
    /// How often the key has signed; zero for authenticators that do not count, as those that share keys between
    /// devices.
    let counter: Int
    /// The new credential; nil in an assertion.
    let credential: Credential?
    let extensions: CBOR?

    struct Flags: OptionSet {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let hasCredential = Flags(rawValue: 0x40)
        static let hasExtensions = Flags(rawValue: 0x80)
    }

    struct Credential: Sendable {
        /// The model of the authenticator, a UUID.
        let model: [UInt8]
        let id: [UInt8]
        let key: CredentialKey
    }

    private static let headBytes = 37
    /// WebAuthn §7.1 step 25.
    static let maximumIDBytes = 1023

    init(_ bytes: [UInt8]) throws(PasskeyFault) {
        guard bytes.count >= Self.headBytes else { throw .malformed }
        self.bytes = bytes
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | Int($1) }
        var offset = Self.headBytes
        if flags.contains(.hasCredential) {
            guard bytes.count >= offset + 18 else { throw .malformed }
            let model = Array(bytes[offset..<(offset + 16)])
            let count = Int(bytes[offset + 16]) << 8 | Int(bytes[offset + 17])
            offset += 18
            guard (1...Self.maximumIDBytes).contains(count), bytes.count > offset + count else { throw .malformed }
            let id = Array(bytes[offset..<(offset + count)])
            offset += count
            var reader = CBORReader(bytes, from: offset)
            _ = try reader.next()
            credential = Credential(model: model, id: id, key: try CredentialKey(reader.bytes(since: offset)))
            offset = reader.offset
        } else {
            credential = nil
        }
        if flags.contains(.hasExtensions) {
            var reader = CBORReader(bytes, from: offset)
            extensions = try reader.next()
            offset = reader.offset
        } else {
            extensions = nil
        }
        guard offset == bytes.count else { throw .malformed }
        // WebAuthn §6.1.3: what cannot be backed up is not backed up.
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .malformed }
    }
}
