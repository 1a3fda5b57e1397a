import SwiftletCCurl

extension OutboundError {
    /// The error for a code of libcurl.
    init(_ code: CURLcode) {
        self =
            switch code {
            case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .unknownHost
            case CURLE_COULDNT_CONNECT, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE:
                .noConnection
            case CURLE_OPERATION_TIMEDOUT: .timeout
            case CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED: .noTLS
            case CURLE_PEER_FAILED_VERIFICATION: .badCertificate
            case CURLE_SSL_CACERT_BADFILE: .badAuthorities
            case CURLE_FILESIZE_EXCEEDED: .tooLarge
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .badAnswer
            case CURLE_URL_MALFORMAT: .badAddress
            case CURLE_LOGIN_DENIED: .loginDenied
            case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .unavailable
            default: OutboundError("the transfer failed (curl \(code.rawValue))", isTemporary: true)
            }
    }
}
