import SwiftletBytes

/// The three parts of a compact JWS (RFC 7515 §7.1), still encoded.
struct TokenParts: ~Escapable {
    let token: Span<UInt8>
    private let payloadStart: Int
    private let signatureStart: Int

    var header: Span<UInt8> {
        @_lifetime(copy self) get { token.extracting(0..<payloadStart &- 1) }
    }

    var payload: Span<UInt8> {
        @_lifetime(copy self) get { token.extracting(payloadStart..<signatureStart &- 1) }
    }

    var signature: Span<UInt8> {
        @_lifetime(copy self) get { token.extracting(signatureStart...) }
    }

    /// The signed part: header and payload with the dot between them.
    var signed: Span<UInt8> {
        @_lifetime(copy self) get { token.extracting(0..<signatureStart &- 1) }
    }

    /// Whether the header is `{"alg":"HS256","typ":"JWT"}`, as in nearly all HS256 tokens.
    var hasUsualHeader: Bool { header.isText("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9") }

    /// Splits at the first and at the last dot; throws when a part is empty.
    ///
    /// Further dots would be in the payload, where the Base64 decoder refuses them.
    @_lifetime(copy token)
    init(_ token: Span<UInt8>) throws(TokenError) {
        self.token = token
        var first = 0
        while first < token.count, token[first] != UInt8(ascii: ".") { first &+= 1 }
        var last = token.count &- 1
        while last > first, token[last] != UInt8(ascii: ".") { last &-= 1 }
        guard first > 0, last > first &+ 1, last < token.count &- 1 else { throw .malformed }
        payloadStart = first &+ 1
        signatureStart = last &+ 1
    }
}
