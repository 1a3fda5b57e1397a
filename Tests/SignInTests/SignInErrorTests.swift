import Testing

@testable import SignIn

@Suite struct SignInErrorTests {
    @Test(arguments: [
        ("refresh_token_already_used", true), ("session_not_found", true), ("conflict", false),
        ("unexpected_failure", false), ("over_request_rate_limit", false),
    ])
    func `knows the codes that sign a user out`(code: String, ends: Bool) {
        #expect(SignInError.Code(rawValue: code).endsTheSession == ends)
    }
}
