import Synchronization
import Testing

@testable import SwiftletAuth

@Suite struct RecentTokensTests {
    private let fixture: TokenFixture

    init() throws { fixture = try TokenFixture() }

    @Test func `a cached token does not make one with a flipped bit valid`() throws {
        let verifier = try fixture.verifier()
        let token = try fixture.hs256()
        _ = try verifier.verify(token: token)
        let bytes = Array(token.utf8)
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                let isRefused = (try? verifier.verify(bearer: damaged.span)) == nil
                #expect(isRefused, "byte \(index), bit \(bit)")
            }
        }
        #expect(try verifier.verify(token: token).id == "u1")
    }

    @Test func `a cached token expires in time`() throws {
        let clock = TestClock(1000)
        let secret = Secret(String(repeating: "s", count: 32))
        let verifier = try TokenVerifier(secret: secret, clock: { clock.now })
        let token = try TokenIssuer(secret: secret).issue(payload: Array(#"{"sub":"u1","exp":2000}"#.utf8))
        for now in [1000.0, 1999] {
            clock.now = now
            #expect(try verifier.verify(token: token).id == "u1")
        }
        clock.now = 2000
        #expect(throws: TokenError.expired) { try verifier.verify(token: token) }
    }

    @Test func `a refused token takes nobody's place`() throws {
        let verifier = try fixture.verifier(now: 2000)
        #expect(throws: TokenError.expired) { try verifier.verify(token: fixture.hs256()) }
        #expect(verifier.recent.withLock { $0.bytes } == 0)
    }

    @Test func `the keys that a server has already make it forget nothing`() throws {
        let verifier = try fixture.verifier()
        let keys = TokenFixture.jwks
        func replace(_ keys: [String]) throws -> Int {
            verifier.replaceKeys(try KeySet(jwks: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)))
            return verifier.recent.withLock { $0.generation }
        }
        #expect(try replace(keys) == 0)
        #expect(try replace(keys.dropLast()) == 1)
        #expect(try replace(keys.dropLast()) == 1)
        #expect(try replace(keys) == 2)
        // Another key of the same name.
        let other = keys[2].replacing(#""x":"11"#, with: #""x":"21"#)
        #expect(try other != keys[2] && replace([keys[0], keys[1], other]) == 3)
    }

    @Test func `keys that are replaced during a verification leave nothing behind`() throws {
        let verifier = Mutex<TokenVerifier?>(nil)
        let keys = try KeySet(jwks: Array(TokenFixture.jwks[1].utf8))
        let made = try TokenVerifier(secret: nil, keys: keys) {
            verifier.withLock { $0 }?.replaceKeys(KeySet())
            return 1000
        }
        verifier.withLock { $0 = made }
        let token = try fixture.signed(by: fixture.p256)
        _ = try made.verify(token: token)
        #expect(throws: TokenError.unknownKey) { try made.verify(token: token) }
    }

    @Test func `large tokens do not fill more memory than is set`() throws {
        var recent = RecentTokens()
        let payload = #"{"sub":"u1","filler":"\#(String(repeating: "x", count: 8000))"}"#
        let user = try User(payload: Array(payload.utf8))
        let token = [UInt8](repeating: 1, count: RecentTokens.maximumTokenBytes)
        let size = token.count + payload.utf8.count
        for _ in 0..<2 { recent.insert(user, for: token.span, hash: 0, generation: 0) }
        #expect(recent.bytes == size)
        for slot in 1..<RecentTokens.slots {
            recent.insert(user, for: token.span, hash: slot, generation: 0)
            #expect(recent.bytes <= RecentTokens.maximumBytes)
            #expect(recent.bytes >= size)
            #expect(recent.user(for: token.span, hash: slot) != nil)
        }
        #expect(recent.user(for: token.span, hash: 0) == nil)
    }

    @Test func `more tokens than there are slots are all told apart`() throws {
        let secret = Secret(String(repeating: "s", count: 32))
        let verifier = try TokenVerifier(secret: secret, clock: { 1000 })
        let issuer = try TokenIssuer(secret: secret)
        let tokens = try (0..<3 * RecentTokens.slots).map { number in
            try issuer.issue(payload: Array(#"{"sub":"user \#(number)","exp":2000}"#.utf8))
        }
        for _ in 0..<2 {
            for (number, token) in tokens.enumerated() {
                #expect(try verifier.verify(token: token).id == "user \(number)")
            }
        }
    }

    @Test func `a slot found by its hash still needs the same bytes`() throws {
        var recent = RecentTokens()
        let user = try User(payload: Array(#"{"sub":"u1"}"#.utf8))
        let token = Array("a token of some length".utf8)
        recent.insert(user, for: token.span, hash: 7, generation: 0)
        #expect(recent.user(for: token.span, hash: 7)?.id == "u1")
        #expect(recent.user(for: token.span, hash: 7 + RecentTokens.slots) == nil)
        for other in ["a token of some lengtH", "A token of some length", "a token of some", "a token of some length!"]
        {
            let bytes = Array(other.utf8)
            #expect(recent.user(for: bytes.span, hash: 7) == nil, "\(other)")
        }
    }

    @Test func `tokens that were verified with replaced keys are forgotten, and not inserted`() throws {
        var recent = RecentTokens()
        let user = try User(payload: Array(#"{"sub":"u1"}"#.utf8))
        let token = Array("a token of some length".utf8)
        recent.insert(user, for: token.span, hash: 7, generation: 0)
        recent.forgetAll()
        #expect(recent.user(for: token.span, hash: 7) == nil)
        #expect(recent.generation == 1)
        recent.insert(user, for: token.span, hash: 7, generation: 0)
        #expect(recent.user(for: token.span, hash: 7) == nil)
        recent.insert(user, for: token.span, hash: 7, generation: 1)
        #expect(recent.user(for: token.span, hash: 7)?.id == "u1")
    }

    @Test func `the signature finds the slot, and larger tokens get none`() throws {
        func hash(_ token: String) throws -> Int? {
            let bytes = Array(token.utf8)
            return RecentTokens.hash(try TokenParts(bytes.span))
        }
        #expect(try hash("head.payload.signature") == hash("head.other.signature"))
        #expect(try hash("head.payload.signature") != hash("head.payload.signaturE"))
        let room = String(repeating: "A", count: RecentTokens.maximumTokenBytes - "a..signature".utf8.count)
        #expect(try hash("a.\(room).signature") != nil)
        #expect(try hash("a.\(room)A.signature") == nil)
    }
}
