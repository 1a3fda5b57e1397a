import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// `mobile-auth`: the iOS app's own sign-in API, with the accounts and sessions of `/auth/v1`.
struct MobileAPI: ServiceAPI {
    let services: Services

    var function: Function {
        Self.routes(serve(Self.login), serve(Self.refresh)).with(MobileErrorFormat.middleware)
    }

    static func routes(_ login: @escaping Handler, _ refresh: @escaping Handler) -> Function {
        Function("mobile-auth") {
            Post("/login", login).open().taking(.object(["email": .text, "password": .text]))
                .answering(.session).refusing(as: refusal)
            Post("/refresh", refresh).open()
                .taking(.object(["refresh_token": .text.optional, "refreshToken": .text.optional]))
                .answering(.session).refusing(as: refusal)
        }
    }

    /// See ``MobileErrorFormat``.
    private static let refusal = JSONSchema.object(["error": .text, "error_description": .text.optional])
}

extension Route {
    /// The same route, whose errors all have this form.
    fileprivate func refusing(as schema: JSONSchema) -> Route {
        let statuses: [Status] = [400, 401, 403, 409, 413, 415, 429, 503]
        return statuses.reduce(self) { $0.answering($1, schema) }
    }
}

extension JSONSchema {
    /// What a sign-in answers, see ``Services/answer(_:to:)``.
    static let session = JSONSchema.object([
        "access_token": .text, "token_type": .text, "expires_in": .integer, "expires_at": .integer,
        "refresh_token": .text,
        "user": .object(["id": .uuid, "email": .text, "app_metadata": .any, "user_metadata": .any]),
        // Of a device that is new.
        "device_secret": .text.optional,
    ])
}
