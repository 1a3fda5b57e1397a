/// How much of everything one request may bring.
package struct RequestLimits: Sendable {
    /// Method, target and version without the line's end. More is 414.
    package var requestLineBytes: Int
    /// Request line and fields with every line's end, never more than 65 535, as ranges are kept in 16 bits. More is 431.
    package var headBytes: Int
    /// More fields are 431.
    package var fieldCount: Int
    /// More is 413, refused when announced, not when it has arrived.
    package var bodyBytes: Int
    /// Everything behind the sizes of one body's chunks, together. More is 400.
    package var chunkExtensionBytes: Int
    /// The fields behind a chunked body with every line's end. More is 431.
    package var trailerBytes: Int

    package init(
        requestLineBytes: Int = 8192,
        headBytes: Int = 32768,
        fieldCount: Int = 100,
        bodyBytes: Int = 1_048_576,
        chunkExtensionBytes: Int = 4096,
        trailerBytes: Int = 8192
    ) {
        self.requestLineBytes = requestLineBytes
        self.headBytes = headBytes
        self.fieldCount = fieldCount
        self.bodyBytes = bodyBytes
        self.chunkExtensionBytes = chunkExtensionBytes
        self.trailerBytes = trailerBytes
    }

    /// The same within what the parser can reckon with: offsets of 16 bits, sums that do not overflow.
    var clamped: RequestLimits {
        func within16Bits(_ value: Int) -> Int { min(max(value, 0), 65535 - 32) }
        return RequestLimits(
            requestLineBytes: within16Bits(requestLineBytes),
            // An empty line before the head is none of its bytes and must be seen whole.
            headBytes: min(max(headBytes, 2), 65535),
            fieldCount: fieldCount,
            bodyBytes: max(bodyBytes, 0),
            chunkExtensionBytes: within16Bits(chunkExtensionBytes),
            trailerBytes: within16Bits(trailerBytes)
        )
    }
}
