import SwiftletHTTP
import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct PreferenceTests {
    @Test(
        arguments: [
            (["handling=strict"], true), (["Handling = STRICT"], true), (["handling=\"strict\"; wait=3"], true),
            (["return=minimal, handling=strict"], true), (["return=minimal", "handling=strict"], true),
            (["handling=strict, handling=lenient"], true), (["handling=lenient, handling=strict"], false),
            (["handling=strictly"], false), (["mishandling=strict"], false), (["wait=3; handling=strict"], false),
            ([#"foo="a, handling=strict""#], false), (["hand ling=strict"], false), ([#"handling=str"ict"#], false),
            (["handling"], false), ([""], false), ([], false),
        ]
    )
    func `unknown keys are refused when the handling is strict`(preferences: [String], isStrict: Bool) throws {
        var headers = Headers()
        for preference in preferences { headers.append(.prefer, preference) }
        let request = try Request(method: .post, target: "/", headers: headers)
        #expect(request.prefersStrictHandling == isStrict)
    }
}
