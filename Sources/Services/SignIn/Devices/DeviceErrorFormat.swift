import SwiftletHTTP
import SwiftletWeb

/// Formats errors of `devices` as those of other functions.
enum DeviceErrorFormat {
    static let middleware = Middleware { request, context, next in
        do {
            return try await next(request, context)
        } catch let error as APIError {
            throw error
        } catch {
            return try await SignInError.answering(request, context) { refusal in
                Response(APIError(refusal), context.requestID)
            } _: {
                throw error
            }
        }
    }
}

extension APIError {
    /// The codes of `/auth/v1` are in lower case, those of functions are not.
    fileprivate init(_ error: SignInError) {
        let code: Code =
            switch error.status {
            case .tooManyRequests: "TOO_MANY_REQUESTS"
            case .serviceUnavailable: "OVERLOADED"
            default: Code(rawValue: error.code.rawValue.uppercased())
            }
        self.init(error.status, code, error.message)
    }

    static let deviceRegistered = APIError(
        .conflict,
        "DEVICE_REGISTERED",
        "This deviceId is taken. The device that has it signs in with its deviceSecret."
    )
}
