import SwiftletCCurl

/// One easy handle of libcurl and the lists that it refers to. Blocks its thread while it performs a transfer.
@safe struct EasyHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>]
    private(set) var fault: OutboundError?
    private let keeper: KeptHandles?

    private init(adopting handle: UnsafeMutableRawPointer, keeper: KeptHandles?) {
        unsafe self.handle = unsafe handle
        self.keeper = keeper
        unsafe lists = []
    }

    deinit {
        if let keeper { unsafe keeper.keep(handle) } else { unsafe curl_easy_cleanup(handle) }
        for index in unsafe lists.indices { unsafe curl_slist_free_all(lists[index]) }
    }

    /// A handle that raises no signals, is restricted to one scheme, and uses TLS 1.2 or newer. Taken from those that
    /// are kept, if any, to which it returns at its end.
    static func make(scheme: Scheme, from keeper: KeptHandles? = nil) throws(OutboundError) -> EasyHandle {
        guard CurlLibrary.isReady, let handle = unsafe keeper?.take() ?? curl_easy_init() else { throw .unavailable }
        var easy = unsafe EasyHandle(adopting: handle, keeper: keeper)
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_SSLVERSION, Self.tls12)
        easy.check(unsafe ccurl_set_scheme(handle, scheme.rawValue, scheme.number))
        return easy
    }

    enum Scheme: String {
        case http, https, smtp, smtps

        // The bits CURLPROTO_…, which are macros with casts that Swift does not import.
        var number: Int {
            switch self {
            case .http: 1
            case .https: 2
            case .smtp: 1 << 16
            case .smtps: 1 << 17
            }
        }
    }

    /// `CURL_SSLVERSION_TLSv1_2`, a macro that Swift does not import.
    private static let tls12 = 6

    mutating func set(_ option: CURLoption, _ value: String) {
        // A C string would end at the NUL.
        guard !value.utf8.contains(0) else { return fault = fault ?? .badAddress }
        check(unsafe ccurl_set_text(handle, option, value))
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        check(unsafe ccurl_set_number(handle, option, value))
    }

    mutating func setLarge(_ option: CURLoption, _ value: Int) {
        check(unsafe ccurl_set_large(handle, option, curl_off_t(value)))
    }

    mutating func set(_ option: CURLoption, _ values: [String]) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            guard let longer = unsafe curl_slist_append(list, value) else {
                unsafe curl_slist_free_all(list)
                return fault = fault ?? .unavailable
            }
            unsafe list = unsafe longer
        }
        guard let list = unsafe list else { return }
        unsafe lists.append(list)
        check(unsafe ccurl_set_list(handle, option, list))
    }

    /// The limit of the whole transfer, and of connecting alone.
    mutating func setTimeouts(total: Duration, connect: Duration) {
        set(CURLOPT_TIMEOUT_MS, max(1, total.milliseconds))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(connect, total).milliseconds))
    }

    mutating func trust(_ trust: Trust) {
        switch trust {
        case .system: break
        case .systemAnd(let file): set(CURLOPT_CAINFO, file)
        case .anyone:
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
    }

    /// libcurl signs the fields as they are set; the body's digest must be among them (`x-amz-content-sha256`).
    mutating func sign(_ signature: AWSSignature) {
        set(CURLOPT_AWS_SIGV4, "aws:amz:\(signature.region):\(signature.service)")
        set(CURLOPT_USERNAME, signature.accessKey)
        set(CURLOPT_PASSWORD, signature.secretKey)
    }

    /// Ignores the proxies of the environment.
    mutating func disableProxy() {
        set(CURLOPT_PROXY, "")
    }

    /// Blocks until the transfer has finished, and returns the status of the last response.
    mutating func perform(_ transfer: Transfer) throws(OutboundError) -> Int {
        let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        check(unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        check(unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        check(unsafe ccurl_set_pointer(handle, CURLOPT_READDATA, context))
        check(unsafe ccurl_set_transfer(handle, CURLOPT_WRITEFUNCTION, receiveBody))
        check(unsafe ccurl_set_transfer(handle, CURLOPT_HEADERFUNCTION, receiveHeader))
        check(unsafe ccurl_set_transfer(handle, CURLOPT_READFUNCTION, sendBody))
        if let fault { throw fault }
        let code = withExtendedLifetime(transfer) { unsafe curl_easy_perform(handle) }
        guard code == CURLE_OK else { throw transfer.isTooLarge ? .tooLarge : OutboundError(code) }
        return status
    }

    /// The status of the last response; 0 when there was none.
    var status: Int {
        var status = 0
        _ = unsafe ccurl_response_code(handle, &status)
        return status
    }

    /// The absolute target of a redirect; nil when the response is none.
    var redirect: String? {
        var address: UnsafeMutablePointer<CChar>?
        guard unsafe ccurl_redirect(handle, &address) == CURLE_OK, let address = unsafe address else { return nil }
        return unsafe String(cString: address)
    }

    /// Records the first failure, which ``perform(_:)`` throws.
    mutating func check(_ code: CURLcode) {
        if code != CURLE_OK, fault == nil { fault = OutboundError(code) }
    }
}

extension Duration {
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}

// libcurl passes back the transfer that `perform` has set, which lives until `curl_easy_perform` returns.

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
    unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

private let receiveBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes,
    size,
    count,
    context in
    guard let context = unsafe context else { return 0 }
    let length = size * count
    return unsafe transfer(context).receive(body: UnsafeRawBufferPointer(start: bytes, count: length)) ? length : 0
}

private let receiveHeader: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes,
    size,
    count,
    context in
    guard let context = unsafe context else { return 0 }
    let length = size * count
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
    return unsafe transfer(context).receive(headerLine: line) ? length : 0
}

private let sendBody: @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int = {
    bytes,
    size,
    count,
    context in
    guard let context = unsafe context else { return 0 }
    return unsafe transfer(context).fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// The global state of libcurl.
enum CurlLibrary {
    /// `curl_global_init` runs once per process, on first use.
    static let isReady: Bool = ccurl_global_init() == CURLE_OK
}
