/// The limits of one request.
package struct RequestLimits: Sendable {
    /// Method, target and version without the end of the line. More is refused with 414.
    package var requestLineBytes: Int
    /// Request line and fields with the ends of their lines, at most 65 535, as ranges are stored in 16 bits. More is
    /// 431.
    package var headBytes: Int
    /// Paths that begin so may have a longer head, ``longHeadBytes``, of which the request line may fill any part.
    package var longTargetPrefix: StaticString?
    /// As ``headBytes``.
    package var longHeadBytes: Int
    /// More fields are refused with 431.
    package var fieldCount: Int
    /// More is refused with 413, as soon as it is announced.
    package var bodyBytes: Int
    /// All chunk extensions of one body together. More is refused with 400.
    package var chunkExtensionBytes: Int
    /// The trailer fields of a chunked body with the ends of their lines. More is refused with 431.
    package var trailerBytes: Int

    package init(
        requestLineBytes: Int = 8192,
        headBytes: Int = 32768,
        longTargetPrefix: StaticString? = nil,
        longHeadBytes: Int = 65535,
        fieldCount: Int = 100,
        bodyBytes: Int = 1_048_576,
        chunkExtensionBytes: Int = 4096,
        trailerBytes: Int = 8192
    ) {
        self.requestLineBytes = requestLineBytes
        self.headBytes = headBytes
        self.longTargetPrefix = longTargetPrefix
        self.longHeadBytes = longHeadBytes
        self.fieldCount = fieldCount
        self.bodyBytes = bodyBytes
        self.chunkExtensionBytes = chunkExtensionBytes
        self.trailerBytes = trailerBytes
    }

    /// The limits within the range of the parser: offsets of 16 bits, and sums that do not overflow.
    var clamped: RequestLimits {
        // With room for the ends of lines and the digits that are added to a limit.
        func within16Bits(_ value: Int) -> Int { min(max(value, 0), Int(UInt16.max) - 32) }
        return RequestLimits(
            requestLineBytes: within16Bits(requestLineBytes),
            // An empty line before the head is not part of it and must be seen as a whole.
            headBytes: min(max(headBytes, 2), Int(UInt16.max)),
            longTargetPrefix: longTargetPrefix,
            longHeadBytes: min(max(longHeadBytes, headBytes, 2), Int(UInt16.max)),
            fieldCount: fieldCount,
            bodyBytes: max(bodyBytes, 0),
            chunkExtensionBytes: within16Bits(chunkExtensionBytes),
            trailerBytes: within16Bits(trailerBytes)
        )
    }
}
