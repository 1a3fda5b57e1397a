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

    /// What the signature is for: header and payload with the dot between them.
    var signed: Span<UInt8> {
        @_lifetime(copy self) get { token.extracting(0..<signatureStart &- 1) }
    }

    /// Whether the header is `{"alg":"HS256","typ":"JWT"}`, as nearly all HS256 tokens have it.
    var hasUsualHeader: Bool { header.isText("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9") }

    /// Fails unless there are exactly two dots, and something before, between and behind them.
    @_lifetime(copy token)
    init(_ token: Span<UInt8>) throws(TokenError) {
        self.token = token
        var first = -1
        var second = -1
        for index in token.indices where token[index] == UInt8(ascii: ".") {
            if first < 0 {
                first = index
            } else if second < 0 {
                second = index
            } else {
                throw .malformed
            }
        }
        guard first > 0, second > first &+ 1, second < token.count &- 1 else { throw .malformed }
        payloadStart = first &+ 1
        signatureStart = second &+ 1
    }
}
