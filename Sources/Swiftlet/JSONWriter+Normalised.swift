extension JSONWriter {
    /// The shortest JSON text that holds a date-time: two quotes round `YYYY-MM-DDThh:mm:ss`.
    private static let shortestStamp = 21

    /// A finished JSON text, the dates in its strings normalised.
    mutating func writeNormalisedJSON(_ json: borrowing Span<UInt8>) {
        if json.count < Self.shortestStamp {
            writeRaw(json)
        } else {
            let copy = unsafe json.withUnsafeBufferPointer { unsafe Array($0) }
            writeRaw(DateNormaliser.normalise(copy).span)
        }
    }
}
