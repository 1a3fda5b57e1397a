import SwiftletCCurl

extension EasyHandle {
    /// A handle with everything set that the request asks for.
    static func make(
        _ request: HTTPRequest,
        _ settings: HTTPEngine.Settings,
        from handles: KeptHandles
    ) throws(HTTPFailure) -> EasyHandle {
        let address = try WebAddress.checked(request.url)
        let lines = try headerLines(of: request)
        do throws(OutboundError) {
            var easy = try EasyHandle.make(scheme: address.isSecure ? .https : .http, from: handles)
            easy.set(CURLOPT_URL, request.url)
            easy.set(CURLOPT_USERAGENT, "swiftlet")
            easy.set(CURLOPT_HTTPHEADER, lines)
            easy.setTimeouts(total: request.timeout, connect: request.connectTimeout)
            easy.trust(settings.trust)
            // A proxy would resolve the name, and the address could not be checked.
            if !settings.usesProxy || address.isLoopback { easy.disableProxy() }
            if let signature = request.signature { easy.sign(signature) }
            // Waits for a connection that may turn out to take several requests.
            if address.isSecure { easy.set(CURLOPT_PIPEWAIT, 1) }
            easy.set(CURLOPT_TCP_KEEPALIVE, 1)
            easy.set(CURLOPT_MAXAGE_CONN, settings.keptSeconds)
            easy.check(unsafe ccurl_leave_resolver(easy.handle))
            easy.setMethod(request)
            if let fault = easy.fault { throw fault }
            return easy
        } catch {
            throw error == .badAddress ? .badAddress : .unavailable
        }
    }

    private mutating func setMethod(_ request: HTTPRequest) {
        switch request.method {
        case "HEAD": set(CURLOPT_NOBODY, 1)
        case "GET" where request.body.isEmpty: break
        default:
            set(CURLOPT_CUSTOMREQUEST, request.method)
            guard !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) else { return }
            setLarge(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
            // A copy, so that libcurl can send it again on another connection when a kept one turns out to be dead.
            unsafe request.body.withUnsafeBytes { bytes in
                let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                check(unsafe ccurl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, start ?? handle))
            }
        }
    }

    private static func headerLines(of request: HTTPRequest) throws(HTTPFailure) -> [String] {
        let isMethod =
            (1...32).contains(request.method.utf8.count)
            && request.method.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "-") }
        // They say where the message ends, which is libcurl's to say.
        let hasFraming = request.hasHeader("content-length") || request.hasHeader("transfer-encoding")
        guard isMethod, !hasFraming else { throw .badHeader }
        let lines = try request.headerLines()
        // In a signature, libcurl counts a line that removes a field as a field.
        guard request.signature == nil else { return lines }
        // "Expect: 100-continue" would cost a round trip, and libcurl would call every body a form.
        return lines + ["Expect:"] + (request.hasHeader("content-type") ? [] : ["Content-Type:"])
    }
}
