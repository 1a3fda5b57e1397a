internal import HTTP
internal import JSON
internal import Swiftlet

/// `mobile-auth`: the iOS app's own way to sign in. Accounts and sessions are those of `/auth/v1`.
struct MobileAPI: Sendable {
    let services: Services

    var function: Function {
        Function("mobile-auth") {
            post("/login", login).open()
            post("/refresh", refresh).open()
        }
        .with(MobileErrors.middleware)
    }
}
