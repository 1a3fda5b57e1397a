@testable import SwiftletSignIn

extension SignInError.Code {
    /// Whether supabase-swift signs the user out when it sees this code.
    var endsTheSession: Bool {
        let codes: [SignInError.Code] = [
            "session_not_found", "session_expired", "refresh_token_not_found", "refresh_token_already_used",
        ]
        return codes.contains(self)
    }
}
