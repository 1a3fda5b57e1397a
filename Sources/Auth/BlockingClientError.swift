/// Why a document could not be fetched.
package enum BlockingClientError: Error, Equatable, Sendable, CustomStringConvertible {
    case badAddress, noConnection, badCertificate, timeout, tooLarge, notHTTP

    package var description: String {
        switch self {
        case .badAddress: "the address is not of the form https://host/path"
        case .noConnection: "no connection came about, or it broke"
        case .badCertificate: "the server's certificate is not trusted for its name"
        case .timeout: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .notHTTP: "the answer is not HTTP"
        }
    }
}
