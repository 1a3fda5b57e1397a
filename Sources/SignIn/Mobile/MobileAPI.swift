import HTTP
import JSON
import Swiftlet

/// `mobile-auth`: the iOS app's own sign-in API, with the accounts and sessions of `/auth/v1`.
struct MobileAPI: Sendable {
    let services: Services

    var function: Function {
        Function("mobile-auth") {
            post("/login", login).open()
            post("/refresh", refresh).open()
        }
        .with(MobileErrors.middleware, AccountDatabase.middleware)
    }
}
