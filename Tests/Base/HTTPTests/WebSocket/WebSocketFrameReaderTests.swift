import SwiftletTesting
import Testing

@testable import SwiftletHTTP

@Suite struct WebSocketFrameReaderTests {
    private struct Outcome: Equatable {
        var messages: [WebSocketMessage] = []
        var code: WebSocketCloseCode?
        var heldBytes = 0
    }

    /// What comes of bytes that arrive in pieces.
    private static func read(_ bytes: [UInt8], cuts: [Int] = [], limit: Int = 100_000) -> Outcome {
        var outcome = Outcome()
        var reader = WebSocketFrameReader(maximumMessageBytes: limit)
        do throws(WebSocketError) {
            var start = 0
            for end in cuts + [bytes.count] {
                reader.append(bytes[start..<end].span)
                start = end
                while let message = try reader.next() { outcome.messages.append(message) }
            }
        } catch {
            outcome.code = error.code
        }
        outcome.heldBytes = reader.heldBytes
        return outcome
    }

    private static func read(_ frames: [ClientFrame], limit: Int = 100_000) -> Outcome {
        read(frames.flatMap(\.bytes), limit: limit)
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536])
    func `reads texts and bytes of every form of length`(count: Int) {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: count)
        let frames = [ClientFrame(first: 0x81, payload: payload), ClientFrame(first: 0x82, payload: payload)]
        #expect(Self.read(frames) == Outcome(messages: [.text(payload), .binary(payload)]))
    }

    @Test func `joins fragments, with control frames between them`() {
        let snowman = Array("☃".utf8)
        let frames = [
            ClientFrame(first: 0x01, payload: Array(snowman.prefix(1))),
            ClientFrame(first: 0x89, payload: [7]),
            .continuation([], isFinal: false),
            ClientFrame(first: 0x8A),
            .continuation(Array(snowman.dropFirst()), isFinal: true),
            .text("next"),
        ]
        #expect(
            Self.read(frames) == Outcome(messages: [.ping([7]), .pong, .text(snowman), .text(Array("next".utf8))])
        )
    }

    @Test(arguments: [[], [0x03, 0xE8], [0x0F, 0xA0, 0x62, 0x79, 0x65]] as [[UInt8]])
    func `reads how a peer closes`(payload: [UInt8]) {
        let code = payload.isEmpty ? nil : UInt16(payload[0]) << 8 | UInt16(payload[1])
        let expected = code.map(WebSocketCloseCode.init(rawValue:))
        #expect(Self.read([ClientFrame(first: 0x88, payload: payload)]) == Outcome(messages: [.close(expected)]))
    }

    private static let illegal: [(String, [ClientFrame])] = [
        ("a reserved bit", [ClientFrame(first: 0xC1)]),
        ("a reserved opcode", [ClientFrame(first: 0x83)]),
        ("a reserved control opcode", [ClientFrame(first: 0x8B)]),
        ("no mask", [ClientFrame(first: 0x81, isMasked: false)]),
        ("a continuation of nothing", [.continuation([], isFinal: true)]),
        ("a text within a text", [.text("a", isFinal: false), .text("b")]),
        (
            "a continuation behind the last",
            [
                .text("a", isFinal: false), .continuation([], isFinal: true), .continuation([], isFinal: true),
            ]
        ),
        ("a ping in fragments", [ClientFrame(first: 0x09)]),
        ("a long ping", [ClientFrame(first: 0x89, payload: [UInt8](repeating: 0, count: 126))]),
        ("a close of one byte", [ClientFrame(first: 0x88, payload: [3])]),
        ("code 1005", [ClientFrame(first: 0x88, payload: [0x03, 0xED])]),
        ("code 999", [ClientFrame(first: 0x88, payload: [0x03, 0xE7])]),
        ("code 5000", [ClientFrame(first: 0x88, payload: [0x13, 0x88])]),
        ("two bytes for a short length", [ClientFrame(first: 0x81, length: [126, 0, 125])]),
        ("eight bytes for a short length", [ClientFrame(first: 0x81, length: [127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])]),
        ("a negative length", [ClientFrame(first: 0x81, length: [127, 0xFF, 0, 0, 0, 0, 0, 0, 0])]),
    ]

    @Test(arguments: illegal)
    func `refuses what the protocol forbids`(name: String, frames: [ClientFrame]) {
        #expect(Self.read(frames).code == .protocolError, "\(name)")
    }

    @Test(arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x98]] as [[UInt8]])
    func `refuses texts and reasons that are not UTF-8`(bytes: [UInt8]) {
        #expect(Self.read([ClientFrame(first: 0x81, payload: bytes)]).code == .invalidText)
        #expect(Self.read([ClientFrame(first: 0x88, payload: [0x03, 0xE8] + bytes)]).code == .invalidText)
        #expect(Self.read([ClientFrame(first: 0x82, payload: bytes)]).messages == [.binary(bytes)])
    }

    @Test func `refuses a message that is too long at its header`() {
        let header = ClientFrame(first: 0x82, length: [127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.read([header]).code == .tooBig)
        #expect(Self.read([.text("12345"), .text("123456")], limit: 5).code == .tooBig)
        let fragments = [ClientFrame.text("123", isFinal: false), .continuation(Array("456".utf8), isFinal: true)]
        #expect(Self.read(fragments, limit: 5).code == .tooBig)
        #expect(Self.read(fragments, limit: 6).messages == [.text(Array("123456".utf8))])
    }

    @Test func `holds nothing for fragments that are empty`() {
        let first = ClientFrame(first: 0x01)
        let flood = [first] + [ClientFrame](repeating: .continuation([], isFinal: false), count: 1000)
        #expect(Self.read(flood) == Outcome())
    }

    @Test(arguments: 0..<200)
    func `gives the same, however the bytes are cut`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var bytes: [UInt8] = []
        for _ in 0..<random.below(6) { bytes += Self.frame(&random).bytes }
        // Half of the streams are damaged.
        if seed.isMultiple(of: 2), !bytes.isEmpty {
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        }
        let whole = Self.read(bytes, limit: 1000)
        let cuts = (0..<random.below(20)).map { _ in random.below(bytes.count + 1) }.sorted()
        #expect(Self.read(bytes, cuts: cuts, limit: 1000).messages == whole.messages)
        #expect(Self.read(bytes, cuts: cuts, limit: 1000).code == whole.code)
        #expect(Self.read(bytes, cuts: Array(0..<bytes.count), limit: 1000).messages == whole.messages)
    }

    @Test(arguments: 0..<200)
    func `takes any bytes`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let bytes = (0..<random.below(400)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let outcome = Self.read(bytes, limit: 200)
        #expect(outcome.heldBytes <= bytes.count)
    }

    /// Usually a legal one.
    private static func frame(_ random: inout SeededGenerator) -> ClientFrame {
        let first = random.element(of: [0x81, 0x82, 0x01, 0x00, 0x80, 0x89, 0x8A, 0x88] as [UInt8])
        let count = random.element(of: [0, 1, 3, 60, 125, first < 0x88 ? 200 : 5])
        let payload = (0..<count).map { _ in UInt8(ascii: "a") + UInt8(random.below(26)) }
        let mask = (0..<4).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return ClientFrame(first: first, payload: payload, mask: mask)
    }

    @Test(arguments: [0, 125, 126, 65_535, 65_536])
    func `writes frames with the shortest length and no mask`(count: Int) {
        let payload = [UInt8](repeating: 9, count: count)
        #expect(WebSocketFrames.binary(payload) == ClientFrame(first: 0x82, payload: payload, isMasked: false).bytes)
        #expect(WebSocketFrames.text(payload).first == 0x81)
    }

    @Test func `writes control frames`() {
        #expect(WebSocketFrames.ping() == [0x89, 0])
        #expect(WebSocketFrames.pong([1, 2]) == [0x8A, 2, 1, 2])
        #expect(WebSocketFrames.close(.serviceRestart) == [0x88, 2, 0x03, 0xF4])
        #expect(WebSocketFrames.close(nil) == [0x88, 0])
    }
}
