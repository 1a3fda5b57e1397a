import Foundation

/// Server-sent events, from bytes as they come (WHATWG HTML §9.2.6).
struct EventStreamParser {
    struct Event: Equatable {
        var name: String
        var id: String?
        var data: String
    }

    struct TooLong: Error {}

    /// A server that sends more in one event is none of ours.
    static let maximumBytes = 8 << 20

    private var line: [UInt8] = []
    /// The last byte was a carriage return, to which a line feed may belong.
    private var endsWithReturn = false
    private var name = ""
    private var id: String?
    private var data: [String] = []
    private var bytes = 0

    /// The events that end within these bytes.
    mutating func feed(_ input: some Sequence<UInt8>) throws(TooLong) -> [Event] {
        var events: [Event] = []
        for byte in input {
            let follows = endsWithReturn
            endsWithReturn = byte == UInt8(ascii: "\r")
            if byte == UInt8(ascii: "\n"), follows { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let event = endLine() { events.append(event) }
                continue
            }
            bytes += 1
            guard bytes <= Self.maximumBytes else { throw TooLong() }
            line.append(byte)
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        guard !line.isEmpty else { return endEvent() }
        let text = String(decoding: line, as: UTF8.self)
        // A comment, which says that the server is there.
        guard text.first != ":" else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? parts[1] : ""
        if value.first == " " { value.removeFirst() }
        switch parts[0] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id" where !value.contains("\0"): id = String(value)
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (name, id, data, bytes) = ("", nil, [], 0) }
        guard !data.isEmpty else { return nil }
        return Event(name: name.isEmpty ? "message" : name, id: id, data: data.joined(separator: "\n"))
    }
}
