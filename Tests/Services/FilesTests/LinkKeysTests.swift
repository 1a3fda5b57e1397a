import SwiftletAuth
import SwiftletJSON
import Testing

@testable import SwiftletFiles

struct LinkKeysTests {
    @Test func `a link is signed with the first key, and read by all servers that know it`() throws {
        let (old, new) = (
            Secret("the old secret of the server, long enough for it"),
            Secret("the new secret of the server, long enough for it")
        )
        let before = try LinkKeys(secret: old)
        let during = try LinkKeys(secret: new, others: [old])
        let after = try LinkKeys(secret: new)
        let (early, late) = (try before.sign(["exp": 10]), try during.sign(["exp": 10]))
        #expect(try during.read(early, now: 9) == ["exp": 10])
        #expect(try after.read(late, now: 9) == ["exp": 10])
        #expect(throws: FilesError.self) { try after.read(early, now: 9) }
        #expect(throws: FilesError.self) { try before.read(late, now: 9) }
    }
}
