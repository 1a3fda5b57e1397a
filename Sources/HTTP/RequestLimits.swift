/// How much of everything one request may bring.
package struct RequestLimits: Sendable {
    /// Method, target and version without the line's end. More is 414.
    package var requestLineBytes: Int
    /// Request line and fields with every line's end, at most 65 535, as ranges are kept in 16 bits. More is 431.
    package var headBytes: Int {
        didSet { headBytes = min(headBytes, RequestLimits.largestHeadBytes) }
    }
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
        self.headBytes = min(headBytes, RequestLimits.largestHeadBytes)
        self.fieldCount = fieldCount
        self.bodyBytes = bodyBytes
        self.chunkExtensionBytes = chunkExtensionBytes
        self.trailerBytes = trailerBytes
    }

    private static var largestHeadBytes: Int { 65535 }
}
