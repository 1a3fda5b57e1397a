import SwiftletJSON
import Testing

@testable import SwiftletSignIn

@Suite struct BothSpellingsTests {
    @Test(arguments: [
        (#"{"tenant_id":"a","roleLevel":3}"#, #"{"tenant_id":"a","roleLevel":3,"tenantId":"a","role_level":3}"#),
        (#"{"tenantId":"b","tenant_id":"a"}"#, #"{"tenantId":"a","tenant_id":"a"}"#),
        (#"{"team_id":null,"teamId":"t"}"#, #"{"team_id":"t","teamId":"t"}"#),
        (#"{"team_id":null}"#, #"{"team_id":null}"#),
        (#"{"provider":"email","x_y":1}"#, #"{"provider":"email","x_y":1}"#),
    ])
    func `writes both with equal values`(given: String, expected: String) throws {
        #expect(try completed(given) == JSONParser.parse(Array(expected.utf8)))
    }

    /// The app decodes the whole user or nothing: `roleLevel` as Int, `isPlatformUser` as Bool, the rest as String.
    @Test(arguments: [
        #"{"role_level":"3"}"#, #"{"roleLevel":2.5}"#, #"{"role_level":true}"#, #"{"role_level":99999999999999999999}"#,
        #"{"tenant_id":5}"#, #"{"tenantId":["a"]}"#, #"{"team_id":7,"teamId":"t"}"#, #"{"access_scope":{"a":1}}"#,
        #"{"is_platform_user":"true"}"#, #"{"isPlatformUser":1,"is_platform_admin":0}"#,
    ])
    func `leaves out what the app cannot decode`(given: String) throws {
        #expect(try completed(given) == [:])
    }

    private func completed(_ text: String) throws -> JSONValue {
        let object = try #require(try JSONParser.parse(Array(text.utf8)).object)
        return .object(MetadataAliases.completing(object))
    }
}
