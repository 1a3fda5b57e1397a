package import SwiftletEventLoop

/// Why the server cannot start.
package enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case portTaken(host: String, port: Int)
    case portForbidden(host: String, port: Int)
    case unknownHost(String)
    case tls(TLSError)
    case system(SystemError)

    /// What a failure to listen on this port means.
    init(_ error: SystemError, host: String, port: Int) {
        if error.isAddressInUse {
            self = .portTaken(host: host, port: port)
        } else if error.isPermissionDenied {
            self = .portForbidden(host: host, port: port)
        } else if error.isAddressUnknown {
            self = .unknownHost(host)
        } else {
            self = .system(error)
        }
    }

    package var description: String {
        switch self {
        case .portTaken(let host, let port): "port \(port) on \(host) is taken by another program"
        case .portForbidden(let host, let port): "no permission to listen on port \(port) of \(host)"
        case .unknownHost(let host): "\"\(host)\" is no address of this machine"
        case .tls(let error): error.description
        case .system(let error): error.description
        }
    }
}
