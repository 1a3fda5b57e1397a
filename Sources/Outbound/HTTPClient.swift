internal import CCurl

/// Asks other servers over HTTP, by libcurl, and blocks its thread meanwhile: never call it on an event loop.
///
/// The certificate must be good for the host; plain http is for this machine only, unless ``allowsPlainHTTP``. A GET
/// follows up to three redirects that keep the scheme; a POST follows none.
package struct HTTPClient: Sendable {
    /// For the whole exchange, redirects included.
    package var timeout: Duration = .seconds(10)
    /// For the name and the connection alone.
    package var connectTimeout: Duration = .seconds(5)
    package var maximumBodyBytes: Int = 1 << 20
    package var trust: Trust = .system
    package var allowsPlainHTTP = false
    /// Whether the proxies of the environment are used (`https_proxy`, `no_proxy`); never for this machine.
    package var usesProxy = true

    private static let maximumRedirects = 3

    package init(trust: Trust = .system) {
        self.trust = trust
    }

    package func send(_ request: OutboundRequest) throws(OutboundError) -> OutboundReply {
        let deadline = ContinuousClock.now + timeout
        var address = try permitted(request.url)
        var request = request
        var redirects = 0
        while true {
            let (reply, next) = try exchange(request, address, until: deadline)
            guard request.method == .get, let next else { return reply }
            redirects += 1
            guard redirects <= Self.maximumRedirects else { throw .tooManyRedirects }
            let target = try permitted(next)
            guard target.isSecure == address.isSecure else { throw .badRedirect }
            // What a caller tells one server, such as a key, is not for another.
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
    ) throws(OutboundError) -> (OutboundReply, redirect: String?) {
        let remaining = ContinuousClock.now.duration(to: deadline)
        guard remaining > .zero else { throw .timeout }
        var handle = try EasyHandle.make(scheme: address.isSecure ? .https : .http)
        handle.set(CURLOPT_URL, request.url)
        handle.set(CURLOPT_USERAGENT, "swiftlet")
        // Expect: 100-continue would cost a round trip, and some servers never answer it.
        handle.set(CURLOPT_HTTPHEADER, try request.headerLines() + ["Expect:"])
        handle.setTimeouts(total: remaining, connect: connectTimeout)
        handle.setLarge(CURLOPT_MAXFILESIZE_LARGE, maximumBodyBytes)
        handle.trust(trust)
        if address.isLoopback || !usesProxy { handle.avoidProxy() }
        if request.method == .post {
            handle.set(CURLOPT_POST, 1)
            handle.setLarge(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
        }
        let transfer = Transfer(maximumBodyBytes: maximumBodyBytes, upload: request.body)
        let status = try handle.perform(transfer)
        let reply = OutboundReply(status: status, headers: transfer.headers, body: transfer.body)
        return (reply, (300..<400).contains(status) ? handle.redirect : nil)
    }
}

extension OutboundError {
    package static let badRedirect = OutboundError("a redirect leads to another scheme", isTemporary: false)
}
