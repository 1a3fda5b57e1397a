import SwiftletHTTP
import Testing

@Suite struct FixtureTests {
    @Test func `fixtures are found`() {
        #expect(Fixture.wellFormed.count > 40)
        #expect(Fixture.faulty.count > 100)
    }

    @Test(arguments: Fixture.wellFormed)
    func `reads a well-formed message to its last byte`(fixture: Fixture) {
        let delivery = Delivery(fixture.bytes)
        #expect(delivery.error == nil)
        #expect(delivery.requests.count == 1)
        #expect(delivery.consumed == fixture.bytes.count)
        #expect(delivery.phase == .idle)
    }

    @Test(arguments: Fixture.faulty)
    func `refuses a faulty message with the status in its name`(fixture: Fixture) {
        let delivery = Delivery(fixture.bytes)
        #expect(delivery.error?.status.rawValue == fixture.status)
        #expect(delivery.requests.isEmpty)
    }

    @Test(arguments: Fixture.all)
    func `comes to the same result wherever the bytes are cut`(fixture: Fixture) {
        let whole = Delivery(fixture.bytes)
        for cut in 0...fixture.bytes.count {
            #expect(Delivery(fixture.bytes, cuts: [cut]) == whole, "cut at \(cut)")
        }
        #expect(Delivery(fixture.bytes, cuts: Array(fixture.bytes.indices)) == whole, "byte by byte")
    }

    @Test(arguments: Fixture.wellFormed)
    func `reads a message twice when it comes twice`(fixture: Fixture) {
        let once = Delivery(fixture.bytes)
        let bytes = fixture.bytes + fixture.bytes
        for cuts in [[], [1], [fixture.bytes.count - 1], [fixture.bytes.count + 1], Array(bytes.indices)] {
            let twice = Delivery(bytes, cuts: cuts)
            #expect(twice.requests == once.requests + once.requests)
            #expect(twice.consumed == bytes.count)
            #expect(twice.error == nil)
        }
    }

    @Test(arguments: Fixture.faulty)
    func `serves what came before a faulty message and nothing behind it`(fixture: Fixture) {
        let good = Array("GET /good HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        // Two empty lines behind a message are still fine, so that a fixture of three needs them all.
        let delivery = Delivery(good + fixture.bytes + good)
        #expect(delivery.requests.map(\.path) == ["/good"])
        #expect(delivery.error?.status.rawValue == fixture.status)
    }
}
