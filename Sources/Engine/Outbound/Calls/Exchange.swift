import SwiftletCCurl
import SwiftletEventLoop

/// One request and its response, in one easy handle. Belongs to its loop.
@safe final class Exchange {
    /// What has become of the whole.
    struct Completed: Sendable {
        let response: HTTPResponse
        /// The absolute target of a redirect.
        let redirect: String?
    }

    /// In a stream: as much as waits for its reader before the server has to wait.
    private static let maximumBufferedBytes = 262_144

    private let isStream: Bool
    private let maximumBodyBytes: Int
    private let idleTimeout: Duration
    private let allowsPrivateAddresses: Bool
    private let loop: EventLoop
    /// nil once the exchange has ended.
    private var easy: EasyHandle?
    private let head = Transfer(maximumBodyBytes: 0)
    private var body: [UInt8] = []
    private var receivedBytes = 0
    private var hasHead = false
    /// Of a stream, from when it is complete: the end may come before its reader does.
    private var streamHead: HTTPResponse?
    private var isPaused = false
    private var isTooLarge = false
    private var isRefused = false
    /// Whether the server has left the HTTP/2 connection without an answer. libcurl sends what was refused on another
    /// connection itself, but not when the refusal and the end of the connection arrive together.
    private(set) var isForsaken = false
    private var lastActivity: LoopInstant
    private var idleTimer: LoopTimer?
    private var outcome: Result<Completed, HTTPFailure>?
    private var waiter: CheckedContinuation<Void, Never>?

    init(
        _ request: HTTPRequest,
        _ easy: consuming EasyHandle,
        isStream: Bool,
        allowsPrivateAddresses: Bool,
        on loop: EventLoop
    ) {
        self.easy = consume easy
        self.isStream = isStream
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.loop = loop
        maximumBodyBytes = request.maximumBodyBytes
        idleTimeout = request.idleTimeout
        lastActivity = SystemCall.monotonicTime()
    }

    /// The handle, which identifies the exchange while it is under way.
    var handle: UnsafeMutableRawPointer? { unsafe easy?.handle }

    /// Lets libcurl call this object, which must live until ``finish(_:)``.
    func connectCallbacks() throws(HTTPFailure) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard let handle = unsafe easy?.handle else { throw .unavailable }
        easy?.check(unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        easy?.check(unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        easy?.check(unsafe ccurl_set_transfer(handle, CURLOPT_WRITEFUNCTION, exchangeReceivesBody))
        easy?.check(unsafe ccurl_set_transfer(handle, CURLOPT_HEADERFUNCTION, exchangeReceivesHeader))
        easy?.check(unsafe ccurl_set_open_socket(handle, exchangeOpensSocket, context))
        easy?.check(unsafe ccurl_set_before_request(handle, exchangeBegins, context))
        if easy?.fault != nil { throw .unavailable }
    }

    /// Calls `giveUp` when nothing has arrived for too long.
    func watchIdleness(_ giveUp: @escaping (Exchange) -> Void) {
        idleTimer = loop.schedule(at: lastActivity + idleTimeout) { [weak self] in
            guard let self, outcome == nil else { return }
            let deadline = (isPaused ? SystemCall.monotonicTime() : lastActivity) + idleTimeout
            if deadline > SystemCall.monotonicTime() {
                idleTimer?.reschedule(at: deadline)
            } else {
                giveUp(self)
            }
        }
    }

    // MARK: - For the reader, on the loop

    /// Waits for the end.
    func completed() async -> Result<Completed, HTTPFailure> {
        while true {
            if let outcome { return outcome }
            await signal()
        }
    }

    /// Waits for the head of a stream.
    func responseHead() async -> Result<HTTPResponse, HTTPFailure> {
        while true {
            if let streamHead { return .success(streamHead) }
            if case .failure(let failure) = outcome { return .failure(failure) }
            if case .success(let completed) = outcome { return .success(completed.response) }
            await signal()
        }
    }

    /// Waits for the next part of a stream; nil at its end.
    func nextChunk() async -> Result<[UInt8]?, HTTPFailure> {
        while true {
            if !body.isEmpty { return .success(takeBody()) }
            switch outcome {
            case .success: return .success(nil)
            case .failure(let failure): return .failure(failure)
            case nil: await signal()
            }
        }
    }

    private func takeBody() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &body)
        if isPaused, let handle = unsafe easy?.handle {
            isPaused = false
            lastActivity = SystemCall.monotonicTime()
            // May deliver more at once.
            _ = unsafe curl_easy_pause(handle, 0)
        }
        return taken
    }

    private func signal() async {
        await withCheckedContinuation { waiter = $0 }
    }

    private func wake() {
        waiter?.resume()
        waiter = nil
    }

    // MARK: - The end

    /// libcurl is done with the handle, which is not among its transfers any more.
    func finish(_ code: CURLcode) {
        guard code != CURLE_OK else {
            let redirect = easy?.redirect
            return finish(.success(Completed(response: response(with: isStream ? [] : body), redirect: redirect)))
        }
        isForsaken = code == CURLE_HTTP2 && !hasHead
        var failure = HTTPFailure(code)
        if isTooLarge { failure = .tooLarge }
        if isRefused, failure == .noConnection { failure = .refusedAddress }
        if hasHead, failure == .noConnection { failure = .brokenResponse }
        finish(.failure(failure))
    }

    func finish(_ result: Result<Completed, HTTPFailure>) {
        guard outcome == nil else { return }
        outcome = result
        idleTimer?.cancel()
        idleTimer = nil
        easy = nil
        wake()
    }

    private func response(with body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: easy?.status ?? 0,
            headers: head.headers,
            body: body,
            isHTTP2: easy?.number(CURLINFO_HTTP_VERSION) == Self.http2,
            isOnNewConnection: (easy?.number(CURLINFO_NUM_CONNECTS) ?? 0) > 0
        )
    }

    /// `CURL_HTTP_VERSION_2_0`
    private static let http2 = 3

    // MARK: - For libcurl

    enum Reception { case taken, later, refused }

    func receive(body bytes: UnsafeRawBufferPointer) -> Reception {
        lastActivity = SystemCall.monotonicTime()
        guard receivedBytes + bytes.count <= maximumBodyBytes else {
            isTooLarge = true
            return .refused
        }
        if isStream, body.count >= Self.maximumBufferedBytes {
            isPaused = true
            return .later
        }
        receivedBytes += bytes.count
        unsafe body.append(contentsOf: bytes)
        if isStream { wake() }
        return .taken
    }

    func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        lastActivity = SystemCall.monotonicTime()
        // Fields behind the body count for nothing.
        if hasHead { return true }
        guard unsafe head.receive(headerLine: bytes) else {
            isTooLarge = true
            return false
        }
        if bytes.count <= 2, unsafe bytes.first == UInt8(ascii: "\r"), (easy?.status ?? 0) >= 200 {
            hasHead = true
            if isStream {
                streamHead = response(with: [])
                wake()
            }
        }
        return true
    }

    /// Whether to connect to the address.
    func admits(_ address: NetworkAddress?) -> Bool {
        let isAdmitted = allowsPrivateAddresses || address?.isPublic == true
        if !isAdmitted { isRefused = true }
        return isAdmitted
    }
}

extension EasyHandle {
    func number(_ info: CURLINFO) -> Int {
        var number = 0
        _ = unsafe ccurl_info_number(handle, info, &number)
        return number
    }
}
