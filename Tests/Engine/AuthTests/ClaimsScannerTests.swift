import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletAuth

/// The scanner must accept what the parser accepts and mean what it means: everything else about a token hangs on it.
@Suite struct ClaimsScannerTests {
    static let corpus: [String] = [
        TokenFixture.goodPayload,
        #"{"sub":"6f0f6c2e-3a53-4d5e-9b5a-0d4f6f7c1a11","email":"ada@example.com","role":"authenticated","exp":1900000000}"#,
        #"{"exp":1.5e3,"nbf":-0.25E+2,"iat":1e-7,"x":[1,2.0,-3,0,-0,1E9,[],{},[[]],[{}]],"y":{"a":{"b":{"c":null}}}}"#,
        #"{"app_metadata":{"tenant_id":"a","tenantId":"b","role_level":3,"roleLevel":4,"is_platform_user":true}}"#,
        #"{"app_metadata":{"tenant_id":"a"},"app_metadata":{"tenantId":"b"},"app_metadata":null,"app_metadata":{}}"#,
        #"{"a\u0070p_metadata":{"ten\u0061nt_id":"\u0074\"\\\/\b\f\n\r\t","role":"é😀"},"s\u0075b":"\ud83d\ude00","exp":5}"#,
        #"{"sub":"","email":"","user_metadata":{"name":"Žluťoučký kůň","list":["a\\","\\\"","\u00e9"]},"exp":5}"#,
        " \t\r\n{ \"sub\" : \"a\" , \"exp\" : 7 , \"x\" : [ 1 , 2 ] , \"y\" : { } , \"z\" : [ ] } \n",
        #"{"":1,"":2,"\u0000":3,"exp":5,"aud":["a","b"],"iss":"i","type":"access","true":true,"false":false,"n":null}"#,
        #"{}"#, "[]", "1", "null", #""x""#, "", " ", "{", "}", #"{"a""#, #"{"a":"#, #"{"a":1"#, #"{"a":1,"#,
        #"{"a":1,}"#,
        #"{,}"#, #"{"a":,}"#, #"{"a"}"#, #"{"a":1 "b":2}"#, #"{"a":1}}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":[1}"#,
        #"{"a":[1 2]}"#, #"{"a":{]}"#, #"{"a":01}"#, #"{"a":-}"#, #"{"a":1.}"#, #"{"a":.5}"#, #"{"a":1e}"#,
        #"{"a":1e+}"#,
        #"{"a":tru}"#, #"{"a":truex}"#, #"{"a":nulll}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u12G4"}"#,
        #"{"a":"\ud800"}"#, #"{"a":"\ud800\u0041"}"#, #"{"a":"\udc00"}"#, #"{"a":"\ud800\ud800"}"#, #"{"a":"\"}"#,
        "{\"a\":\"\u{0}\"}", "{\"a\":\"\n\"}", "{\"a\":\"\u{7F}\"}", "\u{FEFF}{}", "{\"a\":\u{A0}1}", "{}\0",
    ]

    @Test(arguments: corpus)
    func `agrees with the parser`(text: String) {
        check(Array(text.utf8))
    }

    @Test(arguments: corpus)
    func `agrees with the parser on every cut and every changed byte`(text: String) {
        let bytes = Array(text.utf8)
        for index in bytes.indices {
            check(Array(bytes[..<index]))
            check(Array(bytes[index...]))
            for byte in Array(#""\{}[]:,09-.eEtn/u"#.utf8) + [0, 0x1F, 0x20, 0x7F, 0x80, 0xC3, 0xFF] {
                var changed = bytes
                changed[index] = byte
                check(changed)
                changed.insert(bytes[index], at: index)
                check(changed)
            }
        }
    }

    @Test(arguments: [62, 63, 64, 65, 200])
    func `agrees with the parser about depth`(depth: Int) {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"{"app_metadata":"#, "}"), (#"[{"x":"#, "}]")] {
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            check(Array(text.utf8))
            check(Array(#"{"app_metadata":\#(text)}"#.utf8))
            check(Array(#"{"app_metadata":{"x":\#(text)},"exp":1}"#.utf8))
        }
    }

    /// Longer by `SWIFTLET_FUZZ_SECONDS`.
    @Test(.hangLimit)
    func `agrees with the parser on random texts, and never traps`() {
        var generator = SeededGenerator(seed: UInt64.random(in: .min ... .max))
        let seed = generator.seed
        let end = ContinuousClock.now.advanced(by: .seconds(Fuzzing.seconds))
        var rounds = 0
        while ContinuousClock.now < end {
            for _ in 0..<50 {
                var text = RandomPayload.make(&generator)
                if Bool.random(using: &generator) { RandomPayload.damage(&text, &generator) }
                check(text, comment: "seed \(seed), round \(rounds)")
                rounds += 1
            }
        }
        #expect(rounds > 0)
    }

    private func check(_ payload: [UInt8], comment: Comment? = nil) {
        let parsed = try? JSONParser.parse(payload)
        let isScanned = scans(payload)
        let text = String(decoding: payload, as: UTF8.self)
        guard isScanned == (parsed?.object != nil) else {
            Issue.record("scanned \(isScanned), parsed \(String(describing: parsed)): \(text) \(comment ?? "")")
            return
        }
        guard let object = parsed?.object, let user = try? User(payload: payload) else { return }
        if Expectation(object) != Expectation(user) {
            Issue.record("\(Expectation(object)) != \(Expectation(user)): \(text) \(comment ?? "")")
        }
    }

    /// Whether the text is an object for the scanner; odd claims do not count here.
    private func scans(_ payload: [UInt8]) -> Bool {
        do throws(TokenError) {
            _ = try User(payload: payload)
            return true
        } catch {
            return error != .malformed
        }
    }
}

/// What a user is, once as read by the scanner and once as the parsed claims say.
private struct Expectation: Equatable {
    let id: String
    let role: String
    let email: String?
    let tenant: String?
    let roleLevel: Int
    let teamID: String?
    let roleID: String?
    let roleCode: String?
    let isPlatformUser: Bool
    let expires: Double?
    let notBefore: Double?
    let appMetadata: JSONValue
    let userMetadata: JSONValue
    let claims: JSONValue
    let issuer: String?

    init(_ user: User) {
        id = user.id
        role = user.role
        email = user.email
        tenant = user.tenant?.rawValue
        roleLevel = user.roleLevel
        teamID = user.teamID
        roleID = user.roleID
        roleCode = user.roleCode
        isPlatformUser = user.isPlatformUser
        expires = user.expires
        notBefore = user.claimPlaces.notBefore
        appMetadata = user.appMetadata
        userMetadata = user.userMetadata
        claims = user.claims
        issuer = user.payload.span.jsonString(at: user.claimPlaces.members[.issuer])
    }

    init(_ object: JSONObject) {
        id = object["sub"]?.string ?? ""
        role = object["role"]?.string ?? (id.isEmpty ? "anon" : "authenticated")
        email = object["email"]?.string
        let metadata = object["app_metadata"]?.object ?? [:]
        func either(_ snake: String, _ camel: String) -> JSONValue? {
            if let value = metadata[snake], !value.isNull { return value }
            return metadata[camel]
        }
        tenant = either("tenant_id", "tenantId")?.string.flatMap { TenantID(rawValue: $0)?.rawValue }
        roleLevel = min(max(either("role_level", "roleLevel")?.int ?? 1, 1), 8)
        teamID = either("team_id", "teamId")?.string
        roleID = either("role_id", "roleId")?.string
        roleCode = metadata["role"]?.string
        isPlatformUser =
            roleLevel == 8 || either("is_platform_user", "isPlatformUser")?.bool == true
            || either("is_platform_admin", "isPlatformAdmin")?.bool == true
            || roleCode?.lowercased() == "platform_admin"
        expires = object["exp"]?.double
        notBefore = object["nbf"]?.double
        appMetadata = object["app_metadata"] ?? .null
        userMetadata = object["user_metadata"] ?? .null
        claims = .object(object)
        issuer = object["iss"]?.string
    }
}
