import SwiftletBytes
import SwiftletJSON

/// A message of a client, in the form that both versions share.
struct ClientMessage {
    enum Content {
        /// As it came, of any type.
        case json(JSONText)
        case broadcast(BinaryBroadcast)
    }

    /// As they came: strings as a rule. nil if the client gave none.
    var joinRef: JSONText?
    var ref: JSONText
    var topic: String
    var event: String
    var content: Content

    private static let maximumRefBytes = 100

    /// nil for what is no message.
    init?(text: [UInt8], _ version: WireVersion) {
        do {
            switch version {
            case .objects: try self.init(object: text.span)
            case .arrays: try self.init(array: text.span)
            }
        } catch {
            return nil
        }
        guard ref.count <= Self.maximumRefBytes, joinRef.map({ $0.count <= Self.maximumRefBytes }) ?? true else {
            return nil
        }
    }

    /// nil for what is no broadcast of version 2.0.0.
    init?(binary: [UInt8]) {
        guard let (broadcast, joinRef, ref, topic) = BinaryBroadcast.read(binary) else { return nil }
        self.joinRef = joinRef.isEmpty ? nil : JSONText(quoting: joinRef)
        self.ref = ref.isEmpty ? .jsonNull : JSONText(quoting: ref)
        self.topic = topic
        event = "broadcast"
        content = .broadcast(broadcast)
    }

    /// `{"topic", "event", "payload", "ref"[, "join_ref"]}`
    private init(object text: Span<UInt8>) throws(JSONError) {
        var scanner = JSONScanner(text)
        var (joinRef, ref, topic, event, payload): (JSONText?, JSONText?, String?, String?, JSONText?)
        guard try scanner.next() == .beginObject else { throw JSONError(.unexpectedByte, at: 0) }
        while try scanner.next() == .name {
            switch try Self.string(in: scanner) {
            case "topic": topic = try Self.stringValue(&scanner)
            case "event": event = try Self.stringValue(&scanner)
            case "payload": payload = try Self.value(&scanner)
            case "ref": ref = try Self.value(&scanner)
            case "join_ref": joinRef = try Self.value(&scanner)
            default: try scanner.skip(scanner.next())
            }
        }
        _ = try scanner.next()
        guard let topic, let event, let payload, let ref else { throw JSONError(.unexpectedEnd, at: text.count) }
        self.joinRef = joinRef == .jsonNull ? nil : joinRef
        self.ref = ref
        self.topic = topic
        self.event = event
        content = .json(payload)
    }

    /// `[join_ref, ref, topic, event, payload]`
    private init(array text: Span<UInt8>) throws(JSONError) {
        var scanner = JSONScanner(text)
        guard try scanner.next() == .beginArray else { throw JSONError(.unexpectedByte, at: 0) }
        let joinRef = try Self.value(&scanner)
        ref = try Self.value(&scanner)
        guard let topic = try Self.stringValue(&scanner), let event = try Self.stringValue(&scanner) else {
            throw JSONError(.unexpectedByte, at: scanner.start)
        }
        self.joinRef = joinRef == .jsonNull ? nil : joinRef
        self.topic = topic
        self.event = event
        content = .json(try Self.value(&scanner))
        guard try scanner.next() == .endArray, try scanner.next() == .end else {
            throw JSONError(.unexpectedByte, at: scanner.start)
        }
    }

    private static func value(_ scanner: inout JSONScanner) throws(JSONError) -> JSONText {
        let first = try scanner.next()
        let start = scanner.start
        guard first != .endArray, first != .endObject else { throw JSONError(.unexpectedByte, at: start) }
        try scanner.skip(first)
        let bytes = scanner.bytes.extracting(start..<scanner.index)
        return unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    private static func stringValue(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
        let token = try scanner.next()
        guard token == .string else {
            try scanner.skip(token)
            return nil
        }
        return try string(in: scanner)
    }

    /// The name or string that the scanner has passed.
    private static func string(in scanner: borrowing JSONScanner) throws(JSONError) -> String {
        let range = scanner.start...scanner.closingQuote
        return try JSONParser.parse(scanner.bytes.extracting(range.lowerBound..<range.upperBound + 1)).string ?? ""
    }
}
