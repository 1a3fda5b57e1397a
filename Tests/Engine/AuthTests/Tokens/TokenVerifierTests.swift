import SwiftletBytes
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletAuth

@Suite struct TokenVerifierTests {
    private let fixture: TokenFixture
    private let verifier: TokenVerifier

    init() throws {
        fixture = try TokenFixture()
        verifier = try fixture.verifier()
    }

    @Test func `accepts a good token of each algorithm, again and again`() throws {
        for token in try fixture.goodTokens() {
            for _ in 0..<3 {
                let user = try verifier.verify(token: token)
                #expect(user.id == "u1")
                #expect(user.tenant == TenantID(rawValue: "t1"))
                #expect(user.roleLevel == 3)
                #expect(user.isPerson)
            }
        }
    }

    /// Whoever has a signed URL has its token.
    @Test(
        arguments: [
            (#"{"url":"b/a.png","exp":2000}"#, false), (#"{"sub":"u1","url":"b/a.png","exp":2000}"#, false),
            (#"{"url":null,"exp":2000}"#, false), (#"{"scope":"download","exp":2000}"#, false),
            (#"{"sub":"u1","sc\u006fpe":"upload","exp":2000}"#, false),
            (#"{"sub":"u1","scope":"openid email","exp":2000}"#, true),
        ]
    )
    func `the token of a signed URL signs in nobody`(payload: String, isAccepted: Bool) throws {
        for token in [try fixture.hs256(payload), try fixture.signed(by: fixture.p256, payload)] {
            // The second time it may come from the cache.
            for _ in 0..<2 {
                if isAccepted {
                    #expect(try verifier.verify(token: token).id == "u1")
                } else {
                    #expect(throws: TokenError.notAccessToken) { try verifier.verify(token: token) }
                }
            }
        }
    }

    // MARK: damage

    @Test func `refuses every token that is cut anywhere`() throws {
        for token in try fixture.goodTokens() {
            for count in 0..<token.utf8.count {
                #expect(throws: TokenError.self) { try verifier.verify(token: String(token.prefix(count))) }
            }
        }
    }

    @Test func `refuses a token with any one bit flipped`() throws {
        for (position, token) in try fixture.goodTokens().enumerated() {
            let bytes = Array(token.utf8)
            for index in bytes.indices {
                // All bits where it is cheap; RSA and Ed25519 take 0.1 ms for each.
                for bit in position == 0 ? 0..<8 : index % 8..<index % 8 + 1 {
                    var damaged = bytes
                    damaged[index] ^= 1 << bit
                    let isRefused = (try? verifier.verify(bearer: damaged.span)) == nil
                    #expect(isRefused, "byte \(index), bit \(bit) of \(token)")
                }
            }
        }
    }

    @Test func `refuses whatever is not exactly three parts`() throws {
        let token = try fixture.hs256()
        let parts = token.split(separator: ".").map(String.init)
        let bad = [
            ".", "..", "...", "a", "a.b", "a..b", ".a.b", "a.b.", " \(token)", "\(token) ", "\(token)\n", "\(token).",
            ".\(token)", "\(token).\(parts[2])", "\(parts[0]).\(token)", parts[0] + "." + parts[1],
            "\(parts[0])..\(parts[2])", ".\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1])..\(parts[2])",
            "\(parts[0]).\(parts[1]).\(parts[1]).\(parts[1]).\(parts[2])", String(repeating: ".", count: 8000),
        ]
        for token in bad {
            #expect(throws: TokenError.self, "\(token)") { try verifier.verify(token: token) }
        }
        #expect(throws: TokenError.missing) { try verifier.verify(token: "") }
    }

    @Test func `refuses text that means the same bytes but is not canonical`() throws {
        let token = try fixture.hs256()
        let parts = token.split(separator: ".").map(String.init)
        // A signature's last character has two spare bits.
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(parts[2].last.flatMap(alphabet.firstIndex(of:)))
        for offset in 1..<4 {
            let twin = token.dropLast() + String(alphabet[last + offset])
            #expect(throws: TokenError.badSignature) { try verifier.verify(token: String(twin)) }
        }
        for suffix in ["=", "==", "A", "AA", "%3D", "\0"] {
            #expect(throws: TokenError.self) { try verifier.verify(token: token + suffix) }
        }
        #expect(throws: TokenError.self) { try verifier.verify(token: "\(parts[0])=.\(parts[1]).\(parts[2])") }
    }

    @Test func `takes tokens up to the limit and refuses longer ones unread`() throws {
        // Header and signature take 81 characters with their dots, the rest of the payload 21.
        let largest = try fixture.hs256(#"{"exp":2000,"pad":"\#(String(repeating: "x", count: 12_227 - 21))"}"#)
        #expect(largest.utf8.count == TokenVerifier.maximumTokenBytes)
        _ = try verifier.verify(token: largest)
        let tooLarge = try fixture.hs256(#"{"exp":2000,"pad":"\#(String(repeating: "x", count: 12_228 - 21))"}"#)
        #expect(tooLarge.utf8.count == TokenVerifier.maximumTokenBytes + 1)
        #expect(throws: TokenError.tooLarge) { try verifier.verify(token: tooLarge) }
        #expect(throws: TokenError.tooLarge) { try verifier.verify(token: String(repeating: "a", count: 1_000_000)) }
    }

    // MARK: algorithms and keys

    @Test(arguments: [
        "none", "None", "NONE", "nOnE", "", "hs256", "HS256 ", "HS384", "HS512", "RS384", "RS512", "PS256", "ES384",
        "ES512", "ES256K", "Ed25519", "RSA-OAEP", "dir", "HS256\\u0000",
    ])
    func `refuses algorithms that are not on the list`(name: String) throws {
        let header = #"{"alg":"\#(name)","typ":"JWT"}"#
        for token in [try fixture.hs256(header: header), try fixture.signed(by: fixture.rsa, header: header)] {
            #expect(throws: TokenError.unsupportedAlgorithm) { try verifier.verify(token: token) }
        }
        let unsigned = Base64URL.encode(bytes: Array(header.utf8)) + ".e30."
        #expect(throws: TokenError.self) { try verifier.verify(token: unsigned) }
    }

    @Test func `refuses an HS256 token that is signed with a public key`() throws {
        // The classic confusion: what is public is taken for the secret.
        let publicTexts = TokenFixture.jwks + [RFC.RS256.modulus, RFC.RS256.publicKey, RFC.ES256.x + RFC.ES256.y]
        let withoutSecret = try TokenVerifier.make(keys: TokenFixture.jwks[0], TokenFixture.jwks[1])
        for text in publicTexts {
            let key = try HMACKey(Secret(text))
            for header in [#"{"alg":"HS256","typ":"JWT"}"#, #"{"alg":"HS256","kid":"rsa-1"}"#] {
                let token = fixture.token(header, TokenFixture.goodPayload) { message in
                    key.code(for: message.span).map { code in code.indices.map { code[$0] } } ?? []
                }
                #expect(throws: TokenError.badSignature) { try verifier.verify(token: token) }
                #expect(throws: TokenError.unknownKey) { try withoutSecret.verify(token: token) }
            }
        }
    }

    @Test func `refuses a header whose algorithm is not that of the key or of the signature`() throws {
        let names = [("HS256", ""), ("RS256", "rsa-1"), ("ES256", "ec-1"), ("EdDSA", "ed-1")]
        for (signer, own) in [(fixture.rsa, "RS256"), (fixture.p256, "ES256"), (fixture.ed25519, "EdDSA")] {
            for (algorithm, _) in names {
                for (_, keyID) in names where !keyID.isEmpty {
                    let header = #"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#
                    let token = try fixture.signed(by: signer, header: header)
                    if algorithm == own, keyID == signer.publicKey.keyID {
                        _ = try verifier.verify(token: token)
                    } else {
                        #expect(throws: TokenError.self, "\(header) by \(own)") { try verifier.verify(token: token) }
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"alg":"ES256"}"#, nil),
        (#"{"alg":"ES256","kid":"ec-1"}"#, nil),
        (#"{"alg":"ES256","kid":"e\u0063-1"}"#, nil),
        (#"{"alg":"ES256","kid":"ec-2"}"#, TokenError.unknownKey),
        (#"{"alg":"ES256","kid":""}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"../../etc/passwd"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"ec-1' OR '1'='1"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"ec-1; DROP TABLE users --"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"ec-1\u0000"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":"EC-1"}"#, .unknownKey),
        (#"{"alg":"ES256","kid":1}"#, .malformed),
        (#"{"alg":"ES256","kid":null}"#, .malformed),
        (#"{"alg":"ES256","kid":["ec-1"]}"#, .malformed),
    ])
    func `finds the key by its name, or the only one that fits`(header: String, error: TokenError?) throws {
        let token = try fixture.signed(by: fixture.p256, header: header)
        expect(error) { try verifier.verify(token: token) }
    }

    @Test func `never verifies with a key from the token itself`() throws {
        let stranger = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        let without = try TokenVerifier.make(secret: fixture.secret, keys: TokenFixture.jwks[1])
        for member in [#""jwk":\#(stranger)"#, #""jku":"http://127.0.0.1/jwks""#, #""x5u":"http://127.0.0.1/c""#] {
            let token = try fixture.signed(by: fixture.ed25519, header: #"{"alg":"EdDSA",\#(member)}"#)
            #expect(throws: TokenError.unknownKey) { try without.verify(token: token) }
            // Where the key is ours, they are as if they were not there.
            _ = try verifier.verify(token: token)
        }
    }

    // MARK: headers

    @Test(arguments: [
        (#"{"alg":"HS256","typ":"JWT"}"#, nil),
        (#"{"typ":"JWT","alg":"HS256"}"#, nil),
        (#"{"alg":"HS256"}"#, nil),
        ("{\r\n\t\"alg\" : \"HS256\" }  ", nil),
        (#"{"a\u006Cg":"HS\u003256"}"#, nil),
        (#"{"alg":"HS256","kid":"anything"}"#, nil),
        (#"{"alg":"none","alg":"HS256"}"#, nil),
        (#"{"alg":"HS256","alg":"none"}"#, TokenError.unsupportedAlgorithm),
        (#"{"alg":"HS256","crit":["exp"],"exp":1}"#, .unsupportedAlgorithm),
        (#"{"alg":"HS256","crit":[]}"#, .unsupportedAlgorithm),
        (#"{"alg":"HS256","cr\u0069t":null}"#, .unsupportedAlgorithm),
        (#"{"alg":"HS256","b64":false}"#, .unsupportedAlgorithm),
        (#"{"alg":"HS256","b64":true}"#, .unsupportedAlgorithm),
        (#"{"typ":"JWT"}"#, .malformed),
        (#"{"alg":null}"#, .malformed),
        (#"{"alg":256}"#, .malformed),
        (#"{"alg":["HS256"]}"#, .malformed),
        (#"["HS256"]"#, .malformed),
        (#""HS256""#, .malformed),
        ("", .malformed),
        ("{}", .malformed),
        (#"{"alg":"HS256",}"#, .malformed),
        (#"{"alg":"HS256"} x"#, .malformed),
        (#"{"alg":"HS256"}{}"#, .malformed),
        (#"{'alg':'HS256'}"#, .malformed),
        (#"{"alg":"HS256","x":01}"#, .malformed),
        (#"{"alg":"HS256","x":"\ud800"}"#, .malformed),
        ("\u{FEFF}{\"alg\":\"HS256\"}", .malformed),
    ])
    func `reads headers strictly`(header: String, error: TokenError?) throws {
        let token = try fixture.hs256(header: header)
        expect(error) { try verifier.verify(token: token) }
    }

    @Test func `refuses headers that are not UTF-8 or nest too deeply`() throws {
        let deep =
            #"{"alg":"HS256","x":\#(String(repeating: "[", count: 3000))\#(String(repeating: "]", count: 3000))}"#
        #expect(throws: TokenError.malformed) { try verifier.verify(token: try fixture.hs256(header: deep)) }
        let bytes = Array(#"{"alg":"HS256","x":""#.utf8) + [0xC0, 0xAF] + Array(#""}"#.utf8)
        let token = Base64URL.encode(bytes: bytes) + ".e30.AAAA"
        #expect(throws: TokenError.malformed) { try verifier.verify(token: token) }
    }

    // MARK: the Authorization field

    @Test func `takes the scheme in any case and any number of blanks`() throws {
        let token = try fixture.hs256()
        for field in ["Bearer \(token)", "bearer \(token)", "BEARER \(token)", "bEaReR   \(token)"] {
            _ = try verifier.verify(authorization: field)
        }
        for field in [
            "", "Bearer", "Bearer ", "Bearer   ", "Basic \(token)", "Bearer\(token)", "Bearer\t\(token)", token,
        ] {
            #expect(throws: TokenError.missing, "\(field)") { try verifier.verify(authorization: field) }
        }
        #expect(throws: TokenError.self) { try verifier.verify(authorization: "Bearer \(token) \(token)") }
        #expect(throws: TokenError.self) { try verifier.verify(authorization: "Bearer \"\(token)\"") }
    }

    // MARK: the anonymous and the service key

    @Test func `knows its opaque keys`() throws {
        let expiredKey = try fixture.hs256(#"{"role":"anon","exp":1}"#)
        for anonymous in ["sb_publishable_abc", expiredKey] {
            let verifier = try TokenVerifier(
                secret: fixture.secret,
                anonymousKey: Secret(anonymous),
                serviceKey: Secret("sb_secret_xyz"),
                clock: { 1000 }
            )
            let anon = try verifier.verify(token: anonymous)
            #expect(anon.isAnonymousKey)
            #expect(!anon.isServiceRole)
            #expect(!anon.isPerson)
            #expect(anon.role == "anon")
            #expect(anon.id.isEmpty)
            #expect(anon.tenant == nil)
            #expect(anon.claims == ["role": "anon"])
            let service = try verifier.verify(token: "sb_secret_xyz")
            #expect(service.isServiceRole)
            #expect(!service.isAnonymousKey)
            #expect(!service.isPerson)
            #expect(service.claims == ["role": "service_role"])
            for wrong in ["sb_secret_xyZ", "sb_secret_xy", "sb_secret_xyz0", "sb_publishable_ab"] {
                #expect(throws: TokenError.malformed) { try verifier.verify(token: wrong) }
            }
        }
    }

    @Test func `accepts no API key where none is configured`() throws {
        let verifier = try TokenVerifier(
            secret: nil,
            anonymousKey: Secret(""),
            serviceKey: nil,
            clock: { 1000 }
        )
        #expect(throws: TokenError.missing) { try verifier.verify(token: "") }
        #expect(throws: TokenError.unknownKey) { try verifier.verify(token: try fixture.hs256()) }
    }

    @Test func `reads the role of key tokens that have no subject`() throws {
        let anon = try verifier.verify(token: fixture.hs256(#"{"role":"anon","iss":"supabase","exp":2000}"#))
        #expect(anon.isAnonymousKey)
        #expect(!anon.isPerson)
        let service = try verifier.verify(token: fixture.hs256(#"{"role":"service_role","exp":2000}"#))
        #expect(service.isServiceRole)
        #expect(!service.isPerson)
    }

    // MARK: rotation and cache

    @Test func `forgets what it verified when the keys are replaced`() throws {
        let token = try fixture.signed(by: fixture.p256)
        _ = try verifier.verify(token: token)
        verifier.replaceKeys(KeySet())
        #expect(throws: TokenError.unknownKey) { try verifier.verify(token: token) }
        verifier.replaceKeys(try KeySet(jwks: Array(TokenFixture.jwks[1].utf8)))
        _ = try verifier.verify(token: token)
    }

    @Test func `judges the time of a cached token every time`() throws {
        let time = TestClock(1000)
        let keys = try KeySet(jwks: Array(TokenFixture.jwks[1].utf8))
        let verifier = try TokenVerifier(secret: nil, keys: keys, clock: { time.now })
        let token = try fixture.signed(by: fixture.p256, #"{"sub":"u","exp":2000,"nbf":900}"#)
        _ = try verifier.verify(token: token)
        time.now = 2000
        #expect(throws: TokenError.expired) { try verifier.verify(token: token) }
        time.now = 899
        #expect(throws: TokenError.notYetValid) { try verifier.verify(token: token) }
        time.now = 900
        _ = try verifier.verify(token: token)
    }

    @Test func `verifies on many threads while keys are replaced`() async throws {
        let fixture = fixture
        let verifier = verifier
        let tokens = try fixture.goodTokens()
        let all = try KeySet(jwks: Array(#"{"keys":[\#(TokenFixture.jwks.joined(separator: ","))]}"#.utf8))
        let more = all.adding(try KeySet(jwks: Array(RFC.EdDSA.publicKey.named("ed-2").utf8)))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    (0..<100).allSatisfy { round in (try? verifier.verify(token: tokens[round % tokens.count])) != nil }
                }
            }
            group.addTask {
                for round in 0..<50 { verifier.replaceKeys(round.isMultiple(of: 2) ? more : all) }
                return true
            }
            for await isGood in group { #expect(isGood) }
        }
    }

    private func expect(_ error: TokenError?, _ body: () throws -> User) {
        do {
            _ = try body()
            #expect(error == nil)
        } catch let thrown {
            #expect(thrown as? TokenError == error)
        }
    }
}
