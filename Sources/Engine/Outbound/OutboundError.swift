/// Why a request to another server failed. The text includes no address, password or body, so it may be logged.
package struct OutboundError: Error, Hashable {
    package let reason: String
    /// Whether a retry may succeed: the server was unreachable, slow, or asked to wait.
    package let isTemporary: Bool

    package init(_ reason: String, isTemporary: Bool) {
        self.reason = reason
        self.isTemporary = isTemporary
    }
}

extension OutboundError: CustomStringConvertible {
    package var description: String { reason }
}

extension OutboundError {
    package static let badAddress = OutboundError(
        "the address is not of the form https://host/path",
        isTemporary: false
    )
    package static let plainText = OutboundError("plain http is for this machine only: use https", isTemporary: false)
    package static let badField = OutboundError("a header field has a bad name or value", isTemporary: false)
    package static let unknownHost = OutboundError("the host's name is not known", isTemporary: true)
    package static let noConnection = OutboundError("no connection came about, or it broke", isTemporary: true)
    package static let noTLS = OutboundError("no TLS connection came about", isTemporary: true)
    package static let badCertificate = OutboundError(
        "the server's certificate is not trusted for its name",
        isTemporary: false
    )
    package static let badAuthorities = OutboundError(
        "the file of certificate authorities is unusable",
        isTemporary: false
    )
    package static let timeout = OutboundError("no answer in time", isTemporary: true)
    package static let tooLarge = OutboundError("the answer is too large", isTemporary: false)
    package static let badRedirect = OutboundError("a redirect leads to another scheme", isTemporary: false)
    package static let tooManyRedirects = OutboundError("too many redirects", isTemporary: false)
    package static let badAnswer = OutboundError("the answer is not of its protocol", isTemporary: false)
    package static let badRecipient = OutboundError(
        "an address is not one that mail can be sent to",
        isTemporary: false
    )
    package static let loginDenied = OutboundError("the server refuses our user or password", isTemporary: false)
    package static let unavailable = OutboundError("libcurl cannot start", isTemporary: false)
}
