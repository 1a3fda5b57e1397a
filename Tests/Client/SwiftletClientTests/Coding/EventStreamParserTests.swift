import Foundation
import Testing

@testable import SwiftletClient

@Suite struct EventStreamParserTests {
    private static let stream = """
        : hello\r
        event: ready\r
        id: 1.0\r
        data: {}\r
        \r
        retry: 10
        data: one
        data:two

        id: 2.0
        event: INSERT
        data: {"a":"ö"}


        data: unfinished
        """

    private static let events = [
        EventStreamParser.Event(name: "ready", id: "1.0", data: "{}"),
        EventStreamParser.Event(name: "message", id: nil, data: "one\ntwo"),
        EventStreamParser.Event(name: "INSERT", id: "2.0", data: #"{"a":"ö"}"#),
    ]

    /// However the network cuts it.
    @Test(arguments: [1, 2, 3, 7, 1000])
    func `reads events`(piece: Int) throws {
        var parser = EventStreamParser()
        let bytes = Array(Self.stream.utf8)
        var events: [EventStreamParser.Event] = []
        for start in stride(from: 0, to: bytes.count, by: piece) {
            events += try parser.feed(bytes[start..<min(start + piece, bytes.count)])
        }
        #expect(events == Self.events)
    }

    @Test func `gives up an event without an end`() {
        var parser = EventStreamParser()
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0..<9 { _ = try parser.feed(bytes) }
        }
    }
}
