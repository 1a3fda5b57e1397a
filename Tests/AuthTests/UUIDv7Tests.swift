import Auth
import Bytes
import Testing

@Suite struct UUIDv7Tests {
    @Test func `sorts by time and does not repeat`() {
        let texts = (0..<5000).map { UUIDv7(millisecondsSince1970: $0).text }
        #expect(texts == texts.sorted())
        #expect(Set((0..<5000).map { _ in UUIDv7(millisecondsSince1970: 7).text }).count == 5000)
    }
}
