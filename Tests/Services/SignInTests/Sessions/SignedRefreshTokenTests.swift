import SwiftletBytes
import SwiftletAuth
import Testing

@testable import SwiftletSignIn

@Suite struct SignedRefreshTokenTests {
    private static let session = "5b1c0d7e-2f0a-4b7e-8a51-0d7c3a1fb002"
    private static let storedKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test(arguments: [0, 1, 127, 128, 300, 1 << 40])
    func `reads back what it makes`(counter: Int) throws {
        let key = try #require(SignedRefreshToken.key(Self.storedKey))
        let text = try SignedRefreshToken.make(sessionID: Self.session, counter: counter, key)
        let token = try #require(SignedRefreshToken(text))
        #expect(token.sessionID == Self.session)
        #expect(token.counter == counter)
        #expect(token.isSigned(by: key))
    }

    /// Made by hand from the layout, with another program's HMAC and SHA-256.
    @Test func `agrees with the layout byte by byte`() throws {
        let key = try #require(SignedRefreshToken.key(Self.storedKey))
        let text = try SignedRefreshToken.make(sessionID: Self.session, counter: 300, key)
        #expect(text == Self.expected)
    }

    private static let expected = "AFscDX4vCkt-ilENfDofsAKsAipFWAQaRvwXB87i0Q3Ifk2QQrYK"

    @Test func `notices every changed byte`() throws {
        let key = try #require(SignedRefreshToken.key(Self.storedKey))
        let bytes = try #require(
            Base64URL.decode(try SignedRefreshToken.make(sessionID: Self.session, counter: 5, key))
        )
        for position in bytes.indices {
            var changed = bytes
            changed[position] ^= 1
            #expect(SignedRefreshToken(Base64URL.encode(changed.span)) == nil, "byte \(position)")
        }
        // With a checksum that fits, but another key.
        let other = try #require(SignedRefreshToken.key("BBECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"))
        let text = try SignedRefreshToken.make(sessionID: Self.session, counter: 5, other)
        #expect(try #require(SignedRefreshToken(text)).isSigned(by: key) == false)
    }

    @Test(arguments: ["", "a7GkQ2mTzXwP", "AAAA", "!!!!", String(repeating: "A", count: 52)])
    func `takes other texts for tokens with a row`(text: String) {
        #expect(SignedRefreshToken(text) == nil)
    }

    @Test(arguments: [nil, "", "{\"data\":\"…\"}", "short"])
    func `has no key where only GoTrue can read it`(stored: String?) {
        #expect(SignedRefreshToken.key(stored) == nil)
    }
}
