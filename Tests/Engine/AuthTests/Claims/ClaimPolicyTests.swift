import Testing

@testable import SwiftletAuth

@Suite struct ClaimPolicyTests {
    private let fixture: TokenFixture

    init() throws {
        fixture = try TokenFixture()
    }

    /// The clock stands at 1000.
    @Test(arguments: [
        (#"{"exp":1001}"#, nil),
        (#"{"exp":1000.5}"#, nil),
        (#"{"exp":1.001e3}"#, nil),
        (#"{"exp":1001,"exp":1002}"#, nil),
        (#"{"\u0065xp":1001}"#, nil),
        (#" {"exp" : 1001 } "#, nil),
        (#"{"exp":9007199254740992}"#, nil),
        (#"{"exp":253402300800}"#, nil),
        (#"{"exp":1000}"#, TokenError.expired),
        (#"{"exp":999.999}"#, .expired),
        (#"{"exp":1000.0}"#, .expired),
        (#"{"exp":0}"#, .expired),
        (#"{"exp":-0}"#, .expired),
        (#"{"exp":-1}"#, .expired),
        (#"{"exp":-1e10}"#, .expired),
        (#"{"exp":1e-400}"#, .expired),
        (#"{"exp":2000,"exp":1}"#, .expired),
        (#"{"exp":2000,"e\u0078p":1}"#, .expired),
        ("{}", .invalidClaims),
        (#"{"EXP":2000}"#, .invalidClaims),
        (#"{"sub":"u","iat":1}"#, .invalidClaims),
        (#"{"exp":null}"#, .invalidClaims),
        (#"{"exp":"2000"}"#, .invalidClaims),
        (#"{"exp":true}"#, .invalidClaims),
        (#"{"exp":[2000]}"#, .invalidClaims),
        (#"{"exp":{}}"#, .invalidClaims),
        (#"{"exp":2000,"exp":"2000"}"#, .invalidClaims),
        (#"{"exp":1e400}"#, .invalidClaims),
        (#"{"exp":-1e400}"#, .invalidClaims),
        (#"{"exp":9223372036854775808}"#, .invalidClaims),
        (#"{"exp":9223372036854775807}"#, .invalidClaims),
        (#"{"exp":99999999999999999999999999999999}"#, .invalidClaims),
        (#"{"app_metadata":{"exp":2000}}"#, .invalidClaims),
        (#"{"exp":2000,"nbf":1000}"#, nil),
        (#"{"exp":2000,"nbf":-5}"#, nil),
        (#"{"exp":2000,"nbf":1000.001}"#, .notYetValid),
        (#"{"exp":2000,"nbf":1e15}"#, .notYetValid),
        (#"{"exp":2000,"nbf":1e400}"#, .invalidClaims),
        (#"{"exp":2000,"nbf":"0"}"#, .invalidClaims),
        (#"{"exp":2000,"nbf":null}"#, .invalidClaims),
        (#"{"exp":2000,"iat":99999999}"#, nil),
        (#"{"exp":2000,"type":"access"}"#, nil),
        (#"{"exp":2000,"type":"refresh"}"#, .notAccessToken),
        (#"{"exp":2000,"type":"refr\u0065sh"}"#, .notAccessToken),
        (#"{"exp":2000,"sub":7}"#, .invalidClaims),
        (#"{"exp":2000,"sub":{}}"#, .invalidClaims),
        (#"{"exp":2000,"sub":null}"#, nil),
        (#"{"exp":2000,"role":["service_role"]}"#, .invalidClaims),
        (#"{"exp":2000,"role":1}"#, .invalidClaims),
        (#"[{"exp":2000}]"#, .malformed),
        (#""exp""#, .malformed),
        ("2000", .malformed),
        ("null", .malformed),
        ("", .malformed),
        (" ", .malformed),
        (#"{"exp":2000"#, .malformed),
        (#"{"exp":2000,}"#, .malformed),
        (#"{"exp":02000}"#, .malformed),
        (#"{"exp":+2000}"#, .malformed),
        (#"{"exp":0x7d0}"#, .malformed),
        (#"{"exp":Infinity}"#, .malformed),
        (#"{"exp":NaN}"#, .malformed),
        (#"{"exp":2000}{"exp":2000}"#, .malformed),
        (#"{"exp":2000} trailing"#, .malformed),
        (#"{"exp":2000,"x":"\uD800"}"#, .malformed),
        (#"{exp:2000}"#, .malformed),
        ("{\"exp\":2000,\"x\":\"\u{1}\"}", .malformed),
        ("\u{FEFF}{\"exp\":2000}", .malformed),
    ])
    func `judges claims`(payload: String, error: TokenError?) throws {
        let verifier = try fixture.verifier(now: 1000)
        for token in [try fixture.hs256(payload), try fixture.signed(by: fixture.ed25519, payload)] {
            do {
                _ = try verifier.verify(token: token)
                #expect(error == nil)
            } catch let thrown {
                #expect(thrown == error)
            }
        }
    }

    @Test func `refuses payloads that nest too deeply or are not UTF-8`() throws {
        let verifier = try fixture.verifier()
        for (depth, isGood) in [(63, true), (64, false), (2000, false)] {
            let arrays = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
            for value in [arrays, objects] where value.utf8.count < 5500 {
                for member in [#""x":\#(value)"#, #""app_metadata":{"x":\#(value)}"#].prefix(isGood ? 1 : 2) {
                    let token = try fixture.hs256(#"{"exp":2000,\#(member)}"#)
                    if isGood {
                        _ = try verifier.verify(token: token)
                    } else {
                        #expect(throws: TokenError.malformed) { try verifier.verify(token: token) }
                    }
                }
            }
        }
        for bytes: [UInt8] in [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3]] {
            let payload = Array(#"{"exp":2000,"x":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(throws: TokenError.malformed) { try User(payload: payload) }
        }
    }

    /// Keys that were made by hand for PostgREST have none.
    @Test func `a token without exp passes only where it need not end`() throws {
        let fixture = try TokenFixture()
        let endless = try fixture.hs256(#"{"role":"anon"}"#)
        let ended = try fixture.hs256(#"{"role":"anon","exp":999}"#)
        for requiresExpiry in [true, false] {
            let verifier = try TokenVerifier(
                secret: fixture.secret,
                requiresExpiry: requiresExpiry,
                clock: { 1000 }
            )
            if requiresExpiry {
                #expect(throws: TokenError.invalidClaims) { try verifier.verify(token: endless) }
            } else {
                #expect(try verifier.verify(token: endless).role == "anon")
            }
            #expect(throws: TokenError.expired) { try verifier.verify(token: ended) }
        }
    }

    @Test func `extends times by the leeway only`() throws {
        for (leeway, now, error) in [
            (0.0, 1000.0, nil), (0, 2000, TokenError.expired), (0, 899.9, .notYetValid),
            (30, 2029.9, nil), (30, 2030, .expired), (30, 870, nil), (30, 869.9, .notYetValid),
        ] {
            let user = try User(payload: Array(#"{"exp":2000,"nbf":900}"#.utf8))
            let policy = ClaimPolicy(leeway: leeway)
            if let error {
                #expect(throws: error) { try policy.check(user, at: now) }
            } else {
                try policy.check(user, at: now)
            }
        }
    }

    @Test(arguments: [
        (#""aud":"authenticated""#, nil), (#""aud":["x","authenticated"]"#, nil),
        (#""aud":"x","aud":"authenticated""#, nil),
        (#""sub":"u1""#, TokenError.wrongAudience), (#""aud":"other""#, .wrongAudience),
        (#""aud":"authenticated2""#, .wrongAudience), (#""aud":[]"#, .wrongAudience),
        (#""aud":[["authenticated"]]"#, .wrongAudience), (#""aud":{"authenticated":1}"#, .wrongAudience),
    ])
    func `requires the audience where configured`(members: String, error: TokenError?) throws {
        let user = try User(payload: Array(#"{"exp":2000,\#(members)}"#.utf8))
        try ClaimPolicy().check(user, at: 1000)
        let policy = ClaimPolicy(audiences: ["authenticated"])
        if let error {
            #expect(throws: error) { try policy.check(user, at: 1000) }
        } else {
            try policy.check(user, at: 1000)
        }
    }
}
