import SwiftletCCurl

/// An HTTP client on top of libcurl. It blocks its thread: never call it on an event loop.
///
/// The certificate must be valid for the host; plain http is restricted to this machine, unless ``allowsPlainHTTP``. A
/// GET follows up to three redirects that keep the scheme; a POST follows none.
package struct HTTPClient: Sendable {
    /// For the whole exchange, including redirects.
    package var timeout: Duration = .seconds(10)
    /// For resolving the name and connecting.
    package var connectTimeout: Duration = .seconds(5)
    package var maximumBodyBytes: Int = 1 << 20
    package var trust: Trust = .system
    package var allowsPlainHTTP = false
    /// Whether to use the proxies of the environment (`https_proxy`, `no_proxy`), which are never used for this
    /// machine.
    package var usesProxy = true
    /// Keeps connections open for the next requests, where it is set.
    package var kept: KeptHandles?

    private static let maximumRedirects = 3

    package init(trust: Trust = .system) {
        self.trust = trust
    }

    package func send(_ request: OutboundRequest) throws(OutboundError) -> OutboundResponse {
        let deadline = ContinuousClock.now + timeout
        var address = try permitted(request.url)
        var request = request
        var redirects = 0
        while true {
            let (response, next) = try exchange(request, address, until: deadline)
            guard request.method == .get, request.signature == nil, let next else { return response }
            redirects += 1
            guard redirects <= Self.maximumRedirects else { throw .tooManyRedirects }
            let target = try permitted(next)
            guard target.isSecure == address.isSecure else { throw .badRedirect }
            // Headers for one server, such as a key, are not sent to another.
            request = .get(next, headers: target == address ? request.headers : [])
            address = target
        }
    }

    private func permitted(_ url: String) throws(OutboundError) -> WebAddress {
        let address = try WebAddress(url)
        guard address.isSecure || address.isLoopback || allowsPlainHTTP else { throw .plainText }
        return address
    }

    private func exchange(
        _ request: OutboundRequest,
        _ address: WebAddress,
        until deadline: ContinuousClock.Instant
    ) throws(OutboundError) -> (OutboundResponse, redirect: String?) {
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { throw .timeout }
        var handle = try EasyHandle.make(scheme: address.isSecure ? .https : .http, from: kept)
        handle.set(CURLOPT_URL, request.url)
        handle.set(CURLOPT_USERAGENT, "swiftlet")
        // "Expect: 100-continue" would cost a round trip, and some servers never respond to it. In a signature, libcurl
        // counts the line as a field, though it is none.
        handle.set(CURLOPT_HTTPHEADER, try request.headerLines() + (request.signature == nil ? ["Expect:"] : []))
        handle.setTimeouts(total: remaining, connect: connectTimeout)
        // The length in the answer to a HEAD is that of a body which does not come.
        if request.method != .head { handle.setLarge(CURLOPT_MAXFILESIZE_LARGE, maximumBodyBytes) }
        handle.trust(trust)
        if address.isLoopback || !usesProxy { handle.disableProxy() }
        switch request.method {
        case .get: break
        case .head: handle.set(CURLOPT_NOBODY, 1)
        case .delete where request.body.isEmpty: handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
        case .post:
            handle.set(CURLOPT_POST, 1)
            handle.setLarge(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
        case .put, .patch, .delete:
            if request.method != .put { handle.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue) }
            handle.set(CURLOPT_UPLOAD, 1)
            handle.setLarge(CURLOPT_INFILESIZE_LARGE, request.body.count)
        }
        if let signature = request.signature { handle.sign(signature) }
        let transfer = Transfer(maximumBodyBytes: maximumBodyBytes, upload: request.body)
        let status = try handle.perform(transfer)
        let response = OutboundResponse(status: status, headers: transfer.headers, body: transfer.body)
        return (response, (300..<400).contains(status) ? handle.redirect : nil)
    }
}
