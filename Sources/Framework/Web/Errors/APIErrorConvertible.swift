/// An error that knows its response where no handler has caught it.
///
///     enum VanError: APIErrorConvertible {
///         case away
///
///         var apiError: APIError { APIError(.conflict, "VAN_AWAY", "The van is on its way") }
///     }
public protocol APIErrorConvertible: Error {
    var apiError: APIError { get }
}
