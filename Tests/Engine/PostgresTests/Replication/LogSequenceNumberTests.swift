import Testing

@testable import SwiftletPostgres

@Suite struct LogSequenceNumberTests {
    @Test(arguments: [("0/0", 0), ("16/B374D848", 0x16_B374_D848), ("FFFFFFFF/FFFFFFFF", UInt64.max)])
    func `reads and writes as the server does`(text: String, value: UInt64) throws {
        let number = try #require(LogSequenceNumber(text))
        #expect(number.rawValue == value)
        #expect(number.description == text)
    }

    @Test(arguments: ["", "/", "1", "1/", "/1", "1/2/3", "G/0", "100000000/0", "+1/0", "-1/0", " 1/0", "1/0\u{0}"])
    func `anything else is none`(text: String) {
        #expect(LogSequenceNumber(text) == nil)
    }
}
