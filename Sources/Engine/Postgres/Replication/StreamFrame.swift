/// What the server sends within a COPY of the streaming protocol (manual §55.4).
enum StreamFrame: Equatable {
    /// A message of the output plug-in, from this offset on.
    case data(offset: Int)
    /// Everything before `end` has been decoded and sent. With `wantsReply` the server soon gives the connection up.
    case keepAlive(end: LogSequenceNumber, wantsReply: Bool)

    init(_ bytes: [UInt8]) throws(ReplicationMessageError) {
        var cursor = MessageCursor(bytes)
        let kind = try cursor.byte()
        switch kind {
        case UInt8(ascii: "w"):
            _ = try cursor.range(24)
            self = .data(offset: cursor.offset)
        case UInt8(ascii: "k"):
            let end = try cursor.logSequenceNumber()
            _ = try cursor.moment()
            self = .keepAlive(end: end, wantsReply: try cursor.byte() == 1)
            guard cursor.remaining == 0 else { throw .tooLong }
        default: throw .unknownMessage(kind)
        }
    }

    /// A standby's status: how far the log is received, and from where on it is still needed.
    static func status(received: LogSequenceNumber, confirmed: LogSequenceNumber) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "r")]
        // Written, flushed and applied, then our clock, which the server only shows.
        for value in [max(received, confirmed), confirmed, confirmed, .zero] {
            unsafe withUnsafeBytes(of: value.rawValue.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        bytes.append(0)
        return bytes
    }
}
