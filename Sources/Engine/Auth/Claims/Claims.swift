import SwiftletJSON

/// What every request needs from a token's payload: the places of the claims in its bytes, and those that are checked.
struct Claims: Sendable {
    let members: KnownMembers<ClaimName>
    let access: AccessClaims
    /// Seconds since 1970; nil when the claim is missing.
    let expires: Double?
    /// Seconds since 1970; nil when the claim is missing.
    let notBefore: Double?

    /// No claims, for opaque keys.
    init() {
        members = KnownMembers()
        access = AccessClaims()
        expires = nil
        notBefore = nil
    }

    /// The same claims with other rights.
    init(_ other: Claims, access: AccessClaims) {
        members = other.members
        self.access = access
        expires = other.expires
        notBefore = other.notBefore
    }

    /// `payload` must be valid UTF-8.
    init(_ payload: Span<UInt8>) throws(TokenError) {
        var members = KnownMembers<ClaimName>()
        var metadata = KnownMembers<MetadataName>()
        do throws(JSONError) {
            try Self.read(payload, &members, &metadata)
        } catch {
            throw .malformed
        }
        self.members = members
        access = AccessClaims(metadata, in: payload)
        expires = try Self.date(at: members[.expires], in: payload)
        notBefore = try Self.date(at: members[.notBefore], in: payload)
        guard payload.isTextOrAbsent(members[.subject]), payload.isTextOrAbsent(members[.role]) else {
            throw .invalidClaims
        }
    }

    /// Leaves `metadata` empty when `app_metadata` is missing or not an object.
    private static func read(
        _ payload: Span<UInt8>,
        _ members: inout KnownMembers<ClaimName>,
        _ metadata: inout KnownMembers<MetadataName>
    ) throws(JSONError) {
        var scanner = JSONScanner(payload)
        try scanner.beginObject()
        while try scanner.next() == .name {
            let name = KnownMembers<ClaimName>.name(in: scanner)
            if name == .appMetadata {
                // A second app_metadata replaces the first completely, even when it is not an object.
                metadata = KnownMembers()
                let first = try scanner.next()
                let start = scanner.start
                if first == .beginObject { try metadata.readMembers(&scanner) } else { try scanner.skip(first) }
                members[.appMetadata] = ClaimRange(start, scanner.index)
            } else {
                let value = try scanner.skipValue()
                if let name { members[name] = value }
            }
        }
        _ = try scanner.next()
    }

    /// RFC 7519 §2, NumericDate: a JSON number, possibly with a fraction.
    ///
    /// Other types are refused, and numbers beyond ±2⁵³, where a double no longer counts seconds.
    private static func date(
        at place: ClaimRange,
        in payload: borrowing Span<UInt8>
    ) throws(TokenError) -> Double? {
        guard place.isPresent else { return nil }
        let range = place.range
        var whole = 0
        for index in range {
            let digit = payload[index] &- UInt8(ascii: "0")
            guard digit < 10, range.count <= 15 else {
                guard let seconds = payload.jsonValue(at: place)?.double, seconds.magnitude <= 0x1p53 else {
                    throw .invalidClaims
                }
                return seconds
            }
            whole = whole &* 10 &+ Int(digit)
        }
        return Double(whole)
    }
}

extension Span<UInt8> {
    /// Whether there is a JSON string at that place, `null`, or nothing.
    fileprivate func isTextOrAbsent(_ place: ClaimRange) -> Bool {
        guard place.isPresent else { return true }
        let first = self[place.range.lowerBound]
        return first == UInt8(ascii: "\"") || first == UInt8(ascii: "n")
    }
}
