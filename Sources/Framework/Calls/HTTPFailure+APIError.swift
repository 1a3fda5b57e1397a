public import SwiftletOutbound
public import SwiftletWeb

/// A call to another service that a handler has not caught. The client learns nothing about that service.
extension HTTPFailure: APIErrorConvertible {
    public var apiError: APIError {
        switch self {
        case .timedOut: APIError(504, "UPSTREAM_TIMEOUT", "A service behind this one did not answer in time")
        case .cancelled: .unavailable("TIMEOUT", "The request took too long")
        case .overloaded: .unavailable("OVERLOADED", "Too many calls to other services are under way; try again")
        case .badAddress, .badHeader, .refusedAddress, .unavailable: .internal
        case .unknownHost, .noConnection, .noTLS, .badCertificate, .tooLarge, .brokenResponse, .unreadable,
            .tooManyRedirects, .badRedirect:
            APIError(.badGateway, "UPSTREAM_FAILED", "A service behind this one failed")
        }
    }
}
