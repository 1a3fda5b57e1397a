package import EventLoop

/// Why the server cannot listen.
package enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
    case portTaken(host: String, port: Int)
    case portForbidden(host: String, port: Int)
    case unknownHost(String)
    case tls(TLSError)
    case system(SystemError)

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
