import SwiftletCCurl

/// Why there is no response from another service. A response with an error status is none of these.
public enum HTTPFailure: Error, Hashable, Sendable {
    /// The address is not `http://` or `https://` with a host, or it has a user name.
    case badAddress
    /// The method, or a header's name or value, has bytes that do not belong there.
    case badHeader
    /// The name leads to a private, link-local or loopback address, which `HTTP_ALLOW_PRIVATE` would allow.
    case refusedAddress
    case unknownHost
    /// No connection came about, or it broke before the response.
    case noConnection
    case noTLS
    /// The certificate is not trusted for the host's name.
    case badCertificate
    case timedOut
    /// More than ``HTTPRequest/maximumBodyBytes``, or a head of more than 64 KiB.
    case tooLarge
    /// The response ended in its middle, or is none of HTTP's.
    case brokenResponse
    /// The content is not of the expected form.
    case unreadable
    case tooManyRedirects
    /// A redirect leads from https to http.
    case badRedirect
    /// Too many requests are under way.
    case overloaded
    /// The task was cancelled, usually because its client is gone.
    case cancelled
    /// The server stops, or libcurl does not start.
    case unavailable

    /// Whether a retry may succeed.
    public var isTemporary: Bool {
        switch self {
        case .unknownHost, .noConnection, .noTLS, .timedOut, .brokenResponse, .overloaded, .unavailable: true
        case .badAddress, .badHeader, .refusedAddress, .badCertificate, .tooLarge, .unreadable, .tooManyRedirects,
            .badRedirect, .cancelled:
            false
        }
    }
}

extension HTTPFailure: CustomStringConvertible {
    /// Names no address, so that it may be logged.
    public var description: String {
        switch self {
        case .badAddress: "the address is not of the form https://host/path"
        case .badHeader: "the method or a header field has a bad name or value"
        case .refusedAddress: "the host has a private address, see HTTP_ALLOW_PRIVATE"
        case .unknownHost: "the host's name is not known"
        case .noConnection: "no connection came about, or it broke"
        case .noTLS: "no TLS connection came about"
        case .badCertificate: "the server's certificate is not trusted for its name"
        case .timedOut: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .brokenResponse: "the answer broke off, or is not of its protocol"
        case .unreadable: "the answer's content has another form than expected"
        case .tooManyRedirects: "too many redirects"
        case .badRedirect: "a redirect leads from https to http"
        case .overloaded: "too many requests are under way"
        case .cancelled: "the request was cancelled"
        case .unavailable: "the HTTP client is not available"
        }
    }
}

extension HTTPFailure {
    /// The failure for a code of libcurl.
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST: .unknownHost
            case CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR: .noConnection
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_SSL_CONNECT_ERROR: .noTLS
            case CURLE_PEER_FAILED_VERIFICATION: .badCertificate
            case CURLE_FILESIZE_EXCEEDED: .tooLarge
            case CURLE_ABORTED_BY_CALLBACK: .refusedAddress
            case CURLE_URL_MALFORMAT: .badAddress
            case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_SSL_CACERT_BADFILE: .unavailable
            default: .brokenResponse
            }
    }
}
