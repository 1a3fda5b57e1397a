import HTTP
import JSON
import Web

/// `mobile-auth`: the iOS app's own sign-in API, with the accounts and sessions of `/auth/v1`.
struct MobileAPI: Sendable {
    let services: Services

    var function: Function {
        Self.routes(login, refresh).with(MobileErrorFormat.middleware, AccountDatabase.middleware)
    }

    static func routes(_ login: @escaping Handler, _ refresh: @escaping Handler) -> Function {
        Function("mobile-auth") {
            post("/login", login).open()
            post("/refresh", refresh).open()
        }
    }
}
