import SwiftletJSON
import Testing

@testable import SwiftletAuth

@Suite struct UserTests {
    private func user(_ payload: String) throws -> User { try User(payload: Array(payload.utf8)) }

    private func user(appMetadata: String) throws -> User {
        try user(#"{"sub":"u","exp":1,"app_metadata":\#(appMetadata)}"#)
    }

    @Test(
        arguments: [
            (#"{"tenant_id":"t1"}"#, "t1"),
            (#"{"tenantId":"t1"}"#, "t1"),
            (#"{"tenant_id":"snake","tenantId":"camel"}"#, "snake"),
            (#"{"tenantId":"camel","tenant_id":"snake"}"#, "snake"),
            (#"{"tenant_id":null,"tenantId":"camel"}"#, "camel"),
            (#"{"tenant_id":"a","tenant_id":"b"}"#, "b"),
            (#"{"tenant\u005fid":"t1"}"#, "t1"),
            (#"{"tenant_id":"\u0074\u0031"}"#, "t1"),
            (#"{"tenant_id":"Žofie"}"#, "Žofie"),
            (#"{"x":{"tenant_id":"inner"},"tenant_id":"outer","y":{"tenant_id":"inner"}}"#, "outer"),
            (#"{"tenant_id":"a","tenant_id":null}"#, nil),
            (#"{"tenant_id":""}"#, nil),
            (#"{"tenant_id":"","tenantId":"camel"}"#, nil),
            (#"{"tenant_id":7,"tenantId":"camel"}"#, nil),
            (#"{"tenant_id":7}"#, nil),
            (#"{"tenant_id":["t1"]}"#, nil),
            (#"{"tenant_id":"a\u0000b"}"#, nil),
            (#"{"tenant_id":"a\nb"}"#, nil),
            (#"{"Tenant_ID":"t1","tenantID":"t1","tenant":"t1"}"#, nil),
            (#"{"metadata":{"tenant_id":"t1"}}"#, nil),
            (#"{}"#, nil),
            (#"null"#, nil),
            (#""tenant_id""#, nil),
            (#"[{"tenant_id":"t1"}]"#, nil),
        ] as [(String, String?)]
    )
    func `takes the tenant from app_metadata in either spelling`(metadata: String, tenant: String?) throws {
        #expect(try user(appMetadata: metadata).tenant?.rawValue == tenant)
    }

    @Test(arguments: [
        #"{"user_metadata":{"tenant_id":"t1","role_level":8,"is_platform_user":true}}"#,
        #"{"tenant_id":"t1","tenantId":"t1","role_level":8,"roleLevel":8,"is_platform_user":true}"#,
        #"{"raw_app_meta_data":{"tenant_id":"t1","role_level":8}}"#,
        #"{"app_metadata":{"user_metadata":{"tenant_id":"t1","role_level":8,"is_platform_user":true}}}"#,
        #"{"app_metadata":{"tenant_id":"t1","role_level":8},"app_metadata":{}}"#,
        #"{"app_metadata":{"tenant_id":"t1","role_level":8},"app_metadata":null}"#,
        #"{"app_metadata":"{\"tenant_id\":\"t1\",\"role_level\":8}"}"#,
        #"{"user_metadata":{"app_metadata":{"tenant_id":"t1","role_level":8}}}"#,
        #"{"app_metadata":{},"user_metadata":{"tenant_id":"t1"},"role":"PLATFORM_ADMIN"}"#,
    ])
    func `takes rights from nowhere else`(payload: String) throws {
        let user = try user(payload)
        #expect(user.tenant == nil)
        #expect(user.roleLevel == 1)
        #expect(!user.isPlatformUser)
    }

    @Test func `takes the last app_metadata as a whole`() throws {
        let user = try user(#"{"app_metadata":{"tenant_id":"a","role_level":7},"app_metadata":{"tenant_id":"b"}}"#)
        #expect(user.tenant?.rawValue == "b")
        #expect(user.roleLevel == 1)
        #expect(user.appMetadata == ["tenant_id": "b"])
    }

    @Test(arguments: [
        (#"{"role_level":1}"#, 1), (#"{"role_level":5}"#, 5), (#"{"roleLevel":5}"#, 5), (#"{"role_level":8}"#, 8),
        (#"{"role_level":4,"roleLevel":7}"#, 4), (#"{"roleLevel":7,"role_level":4}"#, 4),
        (#"{"role_level":null,"roleLevel":7}"#, 7), (#"{"role_level":7.0}"#, 7), (#"{"role_level":0.7e1}"#, 7),
        (#"{"role_level":0}"#, 1), (#"{"role_level":-3}"#, 1), (#"{"role_level":-9223372036854775808}"#, 1),
        (#"{"role_level":9}"#, 8), (#"{"role_level":99}"#, 8), (#"{"role_level":9223372036854775807}"#, 8),
        (#"{"role_level":9223372036854775808}"#, 1), (#"{"role_level":1e400}"#, 1), (#"{"role_level":7.5}"#, 1),
        (#"{"role_level":"7"}"#, 7), (#"{"role_level":"4","roleLevel":7}"#, 4), (#"{"role_level":"7x"}"#, 1),
        (#"{"role_level":" 7"}"#, 1), (#"{"role_level":"+7"}"#, 1), (#"{"role_level":"99"}"#, 8),
        (#"{"role_level":"7.0"}"#, 7), (#"{"role_level":"7.5"}"#, 1), (#"{"role_level":"07"}"#, 1),
        (#"{"role_level":""}"#, 1), (#"{"role_level":true}"#, 1),
        (#"{"role_level":[7]}"#, 1), (#"{"role_level":{}}"#, 1), (#"{"role_level":null}"#, 1), ("{}", 1),
    ])
    func `clamps the role level to 1 to 8`(metadata: String, level: Int) throws {
        let user = try user(appMetadata: metadata)
        #expect(user.roleLevel == level)
        #expect(user.isPlatformUser == (level == 8))
    }

    @Test(arguments: [
        (#"{"is_platform_user":true}"#, true), (#"{"isPlatformUser":true}"#, true),
        (#"{"is_platform_admin":true}"#, true), (#"{"isPlatformAdmin":true}"#, true),
        (#"{"role":"PLATFORM_ADMIN"}"#, true), (#"{"role":"platform_admin"}"#, true),
        (#"{"role":"Platform_Admin"}"#, true), (#"{"role":"platf\u006frm_admin"}"#, true),
        (#"{"is_platform_user":false,"isPlatformUser":true}"#, false),
        (#"{"is_platform_user":"true"}"#, false), (#"{"is_platform_user":1}"#, false),
        (#"{"is_platform_user":null}"#, false), (#"{"role":"PLATFORM_ADMIN2"}"#, false),
        (#"{"role":"MANAGER"}"#, false), (#"{"role":["PLATFORM_ADMIN"]}"#, false), ("{}", false),
    ])
    func `knows platform users by flag and role code`(metadata: String, isPlatformUser: Bool) throws {
        #expect(try user(appMetadata: metadata).isPlatformUser == isPlatformUser)
    }

    @Test func `reads the rest when it is asked for`() throws {
        let payload = #"""
            {"iss":"i","sub":"\u0075-1","aud":"authenticated","role":"authenticated","email":"ada@ex\u0061mple.com","exp":5,
             "app_metadata":{"tenantId":"t","roleId":"r-1","team_id":"team","role":"MANAGER","accessScope":["a",1.50]},
             "user_metadata":{"firstName":"Ada","n":null}}
            """#
        let user = try user(payload)
        #expect(user.id == "u-1")
        #expect(user.email == "ada@example.com")
        #expect(user.role == "authenticated")
        #expect(user.teamID == "team")
        #expect(user.roleID == "r-1")
        #expect(user.roleCode == "MANAGER")
        #expect(user.expires == 5)
        #expect(user.appMetadata["accessScope"]?.description == #"["a",1.50]"#)
        #expect(user.userMetadata == ["firstName": "Ada", "n": nil])
        #expect(user.claims["iss"] == "i")
        #expect(user.payload == Array(payload.utf8))
    }

    @Test func `has defaults for missing claims`() throws {
        let user = try user("{}")
        #expect(
            user.id.isEmpty && user.email == nil && user.teamID == nil && user.roleID == nil && user.roleCode == nil
        )
        #expect(user.appMetadata.isNull)
        #expect(user.userMetadata.isNull)
        #expect(user.expires == nil)
        #expect(user.role == "anon")
        #expect(!user.isPerson)
    }

    @Test(arguments: [
        (#"{"sub":"u"}"#, "authenticated", true), (#"{"sub":"u","role":"authenticated"}"#, "authenticated", true),
        (#"{"sub":"u","role":"editor"}"#, "editor", true), (#"{"sub":"u","role":null}"#, "authenticated", true),
        (#"{"sub":"u","role":"anon"}"#, "anon", false), (#"{"sub":"u","role":"service_role"}"#, "service_role", false),
        (#"{"role":"authenticated"}"#, "authenticated", false), (#"{"sub":""}"#, "anon", false),
        (#"{"sub":null}"#, "anon", false),
    ])
    func `is a person with a subject and no key's role`(payload: String, role: String, isPerson: Bool) throws {
        let user = try user(payload)
        #expect(user.role == role)
        #expect(user.isPerson == isPerson)
    }
}
