import SwiftletBytes
import SwiftletTesting
import Testing

@testable import SwiftletAuth

@Suite struct TokenFuzzTests {
    /// Longer by `SWIFTLET_FUZZ_SECONDS`.
    @Test(.hangLimit)
    func `damaged tokens never trap and never verify`() throws {
        let fixture = try TokenFixture()
        let verifier = try fixture.verifier()
        // HS256 most of the time: the others take 0.1 ms each.
        let good = try fixture.goodTokens() + Array(repeating: fixture.hs256(), count: 20)
        var generator = SeededGenerator(seed: UInt64.random(in: .min ... .max))
        let end = ContinuousClock.now.advanced(by: .seconds(Fuzzing.seconds))
        var rounds = 0
        while ContinuousClock.now < end {
            for _ in 0..<50 {
                let token = Array((good.randomElement(using: &generator) ?? "").utf8)
                var damaged = token
                RandomPayload.damage(&damaged, &generator)
                let isRefused = (try? verifier.verify(bearer: damaged.span)) == nil
                if !isRefused, damaged != token {
                    Issue.record("accepted \(String(decoding: damaged, as: UTF8.self)), seed \(generator.seed)")
                }
                let isFieldRefused = (try? verifier.verify(authorization: damaged.span)) == nil
                #expect(isFieldRefused)
                rounds += 1
            }
        }
        #expect(rounds > 0)
    }

    /// Headers and payloads that are signed as they should be, but are anything.
    @Test(.hangLimit)
    func `signed rubbish never traps`() throws {
        let fixture = try TokenFixture()
        let verifier = try fixture.verifier()
        var generator = SeededGenerator(seed: UInt64.random(in: .min ... .max))
        let end = ContinuousClock.now.advanced(by: .seconds(Fuzzing.seconds))
        var accepted = 0
        var refused = 0
        while ContinuousClock.now < end {
            for _ in 0..<50 {
                var payload = RandomPayload.make(&generator)
                if Bool.random(using: &generator) {
                    payload = Array(#"{"exp":2000,"x":"#.utf8) + payload + Array("}".utf8)
                }
                if Bool.random(using: &generator) { RandomPayload.damage(&payload, &generator) }
                var header = Array(#"{"alg":"HS256","kid":"ec-1","typ":"JWT"}"#.utf8)
                if Int.random(in: 0..<4, using: &generator) == 0 { RandomPayload.damage(&header, &generator) }
                var token = Base64URL.encode(bytes: header) + "." + Base64URL.encode(bytes: payload)
                let code = try #require(fixture.hmac.code(forText: token))
                token += "." + Base64URL.encode(bytes: code)
                do throws(TokenError) {
                    let user = try verifier.verify(token: token)
                    #expect((1...8).contains(user.roleLevel))
                    accepted += 1
                } catch {
                    refused += 1
                }
            }
        }
        // Else the test would look at one side only.
        #expect(accepted > 0)
        #expect(refused > 0)
    }

    @Test(.hangLimit)
    func `damaged key sets never trap`() throws {
        var generator = SeededGenerator(seed: UInt64.random(in: .min ... .max))
        let end = ContinuousClock.now.advanced(by: .seconds(Fuzzing.seconds / 2))
        while ContinuousClock.now < end {
            let texts = [RFC.EdDSA.privateKey, RFC.ES256.privateKey, RFC.RS256.privateKey, RFC.ES512.publicKey]
            var text = Array(#"{"keys":[\#(texts.shuffled(using: &generator).joined(separator: ","))]}"#.utf8)
            RandomPayload.damage(&text, &generator)
            guard let set = try? KeySet(jwks: text) else { continue }
            for key in set.keys {
                let isValid = key.isValid([UInt8](repeating: 1, count: 64), for: text)
                #expect(!isValid)
            }
        }
    }
}
