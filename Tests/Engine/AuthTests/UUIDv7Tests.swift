import SwiftletAuth
import SwiftletBytes
import Testing

@Suite struct UUIDv7Tests {
    @Test func `sorts by time and does not repeat`() {
        let texts = (0..<5000).map { UUIDv7(millisecondsSince1970: $0).text }
        #expect(texts == texts.sorted())
        #expect(Set((0..<5000).map { _ in UUIDv7(millisecondsSince1970: 7).text }).count == 5000)
    }

    @Test(arguments: [Array(repeating: 7, count: 5000), [9, 8, 7, 9, 10, 10, 9]])
    func `keys of rows sort as they were made, whatever the clock says`(times: [Int]) {
        let sequence = KeySequence()
        let keys = times.map { sequence.next(millisecondsSince1970: 1_700_000_000_000 + $0).text }
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == keys.count)
    }

    @Test func `a clock that was far ahead is forgotten`() {
        let sequence = KeySequence()
        let ahead = sequence.next(millisecondsSince1970: 4_000_000_000_000).text
        #expect(sequence.next(millisecondsSince1970: 1_700_000_000_000).text < ahead)
    }
}
