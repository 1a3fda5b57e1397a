import HTTP
import JSON
import Web

/// Formats errors of `devices` as other functions do: `error` for people, `code` for programs.
enum DeviceErrorFormat {
    static let middleware = Middleware { request, context, next in
        do {
            return try await next(request, context)
        } catch let error as APIError {
            // Scope, path and method have their usual form.
            throw error
        } catch {
            return try await SignInError.answering(request, context, in: answer) { throw error }
        }
    }

    private static func answer(_ error: SignInError) -> Response {
        .json(error.status) { json in
            json.object { json in
                json.member("error", error.message)
                json.member("message", error.message)
                json.member("code", error.code.rawValue.uppercased())
            }
        }
    }
}

extension SignInError {
    static let deviceRegistered = SignInError(
        .conflict,
        "DEVICE_REGISTERED",
        "This id is taken. The device that has it signs in with its deviceSecret."
    )
}
