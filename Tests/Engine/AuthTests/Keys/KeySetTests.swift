import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct KeySetTests {
    private func set(_ text: String) throws(KeyError) -> KeySet {
        try KeySet(jwks: Array(text.utf8))
    }

    @Test(arguments: [RFC.RS256.publicKey, RFC.ES256.publicKey, RFC.EdDSA.publicKey])
    func `reads a set, a single key, and the public half of a private one`(key: String) throws {
        #expect(try set(key).keys.count == 1)
        #expect(try set(#"{"keys":[\#(key)],"more":1}"#).keys.count == 1)
        #expect(try set(#"{"keys":[\#(key),\#(key.named("b"))]}"#).keys.map(\.keyID) == [nil, "b"])
    }

    @Test(arguments: [RFC.RS256.privateKey, RFC.ES256.privateKey, RFC.EdDSA.privateKey])
    func `tolerates private members`(key: String) throws {
        #expect(try set(#"{"keys":[\#(key)]}"#).keys.count == 1)
    }

    @Test func `may be empty`() throws {
        #expect(try set(#"{"keys":[]}"#).keys.isEmpty)
        #expect(KeySet().keys.isEmpty)
    }

    @Test(arguments: ["", "[]", "{}", "null", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[]"#, #"{"key":[]}"#])
    func `refuses what is not a key set`(text: String) {
        #expect(throws: KeyError.malformed) { try set(text) }
    }

    @Test func `refuses sets with too many keys or bytes`() {
        let many = Array(repeating: "{}", count: KeySet.maximumKeys + 1).joined(separator: ",")
        #expect(throws: KeyError.tooLarge) { try set(#"{"keys":[\#(many)]}"#) }
        let long = String(repeating: " ", count: KeySet.maximumBytes)
        #expect(throws: KeyError.tooLarge) { try set(#"{"keys":[]}"# + long) }
    }

    static let weakModulus = "w" + String(repeating: "B", count: 169) + "E"  // 1024 bits, odd

    @Test(arguments: [
        ("1", KeyError.malformed),
        ("{}", .malformed),
        (#"{"kty":7}"#, .malformed),
        (#"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T"}"#, .unsupported),
        (RFC.ES512.publicKey, .unsupported),
        (#"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#, .unsupported),
        (#"{"kty":"EC","crv":"secp256k1","x":"a","y":"b"}"#, .unsupported),
        (RFC.RS256.publicKey.with(#""alg":"RS512""#), .unsupported),
        (RFC.RS256.publicKey.with(#""alg":"PS256""#), .unsupported),
        (RFC.RS256.publicKey.with(#""alg":"HS256""#), .unsupported),
        (RFC.RS256.publicKey.with(#""alg":"none""#), .unsupported),
        (RFC.RS256.publicKey.with(#""alg":7"#), .malformed),
        (RFC.RS256.publicKey.with(#""kid":7"#), .malformed),
        (RFC.RS256.publicKey.with(#""use":"enc""#), .notForSignatures),
        (RFC.RS256.publicKey.with(#""use":["sig"]"#), .malformed),
        (RFC.RS256.publicKey.with(#""key_ops":["encrypt"]"#), .notForSignatures),
        (RFC.RS256.publicKey.with(#""key_ops":["sign"]"#), .notForSignatures),
        (RFC.RS256.publicKey.with(#""key_ops":[]"#), .notForSignatures),
        (RFC.RS256.publicKey.with(#""key_ops":"verify""#), .notForSignatures),
        // RSA: missing, short, even, small exponents.
        (#"{"kty":"RSA","e":"AQAB"}"#, .malformed),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)"}"#, .malformed),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)=","e":"AQAB"}"#, .malformed),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":""}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AQ"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AAAB"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AAAA"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AQAA"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus)","e":"AQABAQABAQABAQAB"}"#, .invalid),
        (#"{"kty":"RSA","n":"","e":"AQAB"}"#, .invalid),
        (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(weakModulus)","e":"AQAB"}"#, .invalid),
        (#"{"kty":"RSA","n":"\#(RFC.RS256.modulus.dropLast(4))AAAA","e":"AQAB"}"#, .invalid),
        // P-256: wrong lengths, off the curve, at infinity.
        (#"{"kty":"EC","crv":"P-256","x":"\#(RFC.ES256.x)"}"#, .malformed),
        (#"{"kty":"EC","crv":"P-256","x":"\#(RFC.ES256.x)","y":"\#(RFC.ES256.x)"}"#, .invalid),
        (#"{"kty":"EC","crv":"P-256","x":"\#(RFC.ES256.y)","y":"\#(RFC.ES256.x)"}"#, .invalid),
        (#"{"kty":"EC","crv":"P-256","x":"\#(zeros)","y":"\#(zeros)"}"#, .invalid),
        (#"{"kty":"EC","crv":"P-256","x":"","y":""}"#, .invalid),
        (#"{"kty":"EC","crv":"P-256","x":"\#(RFC.ES256.x)","y":"AAAA"}"#, .invalid),
        (#"{"kty":"EC","crv":"P-256","x":"AAAA\#(RFC.ES256.x)","y":"\#(RFC.ES256.y)"}"#, .invalid),
        // Ed25519.
        (#"{"kty":"OKP","crv":"Ed25519"}"#, .malformed),
        (#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, .invalid),
    ])
    func `leaves out keys that it cannot use, and says why`(key: String, reason: KeyError) throws {
        let set = try set(#"{"keys":[\#(key),\#(RFC.EdDSA.publicKey.named("good"))]}"#)
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(set.ignored.map(\.reason) == [reason])
    }

    private static let zeros = String(repeating: "A", count: 43)

    @Test(arguments: [#""use":"sig""#, #""key_ops":["verify"]"#, #""key_ops":["sign","verify"]"#, #""alg":"ES256""#])
    func `takes keys that say that they are for signatures`(member: String) throws {
        #expect(try set(RFC.ES256.publicKey.with(member)).keys.count == 1)
    }

    @Test func `chooses by name, or takes the only one that fits`() throws {
        let a = RFC.ES256.publicKey.named("a")
        let b = RFC.ES256.publicKey.named("b")
        let rsa = RFC.RS256.publicKey.named("a")
        let unnamed = RFC.ES256.publicKey
        func keyID(_ keys: [String], _ algorithm: Algorithm, _ name: String?) throws -> String? {
            let set = try set(#"{"keys":[\#(keys.joined(separator: ","))]}"#)
            let key = set.candidates(for: algorithm, keyID: name).first
            #expect(key == nil || key?.algorithm == algorithm)
            return key.map { $0.keyID ?? "unnamed" }
        }
        #expect(try keyID([a, b, rsa], .es256, "a") == "a")
        #expect(try keyID([a, b, rsa], .es256, "b") == "b")
        #expect(try keyID([a, b, rsa], .rs256, "a") == "a")
        #expect(try keyID([a, b, rsa], .rs256, "b") == nil)
        #expect(try keyID([a, b, rsa], .rs256, nil) == "a")
        #expect(try keyID([a, b, rsa], .es256, nil) == nil)
        #expect(try keyID([a, b, rsa], .es256, "c") == nil)
        #expect(try keyID([a, b, rsa], .eddsa, "a") == nil)
        #expect(try keyID([a, b, rsa], .hs256, "a") == nil)
        #expect(try keyID([a], .es256, "c") == nil)
        #expect(try keyID([unnamed, rsa], .es256, "c") == "unnamed")
        #expect(try keyID([unnamed, rsa], .es256, nil) == "unnamed")
        #expect(try keyID([unnamed, a], .es256, "a") == "a")
        #expect(try keyID([unnamed, a], .es256, "c") == nil)
        #expect(try keyID([unnamed, a], .es256, nil) == nil)
        #expect(try keyID([a, a], .es256, "a") == "a")
    }

    /// What one gets by copying the published set next to the signing key, or by a rotation that keeps the name.
    @Test func `takes equal keys for one, and tries different keys of one name`() throws {
        let own = RFC.ES256.publicKey
        // RFC 7517 appendix A.1.
        let other = #"""
            {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}
            """#
        let (one, two) = (try set(own.named("a")), try set(other.named("a")))
        #expect(one.adding(one).keys.count == 1)
        #expect(one.adding(try set(own)).candidates(for: .es256, keyID: "a").count == 1)
        for both in [one.adding(two), two.adding(one)] {
            #expect(both.candidates(for: .es256, keyID: "a").count == 2)
        }
    }
}

extension String {
    /// A JWK's text with one more member.
    fileprivate func with(_ member: String) -> String { "{\(member)," + dropFirst() }
}
