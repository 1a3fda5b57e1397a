import SwiftletCCurl
import SwiftletEventLoop

/// The transfers of one loop: libcurl's multi handle with its connections. Belongs to the loop.
///
/// libcurl says which sockets and which timer it wants; the loop's poller watches them beside all others.
@safe final class LoopTransfers {
    private unowned let loop: EventLoop
    private let settings: HTTPEngineSettings
    private var multi: UnsafeMutableRawPointer?
    private var isClosed = false
    private var watches: [CInt: SocketWatch] = [:]
    private var timer: LoopTimer?
    /// By the address of the easy handle.
    private var exchanges: [UInt: Exchange] = [:]
    private let handles = KeptHandles(limit: 64)

    init(_ loop: EventLoop, _ settings: HTTPEngineSettings) {
        self.loop = loop
        self.settings = settings
    }

    /// Sends the request, and waits for the whole response.
    func perform(_ request: HTTPRequest) async throws(HTTPFailure) -> Exchange.Completed {
        let end = SystemCall.monotonicTime() + request.timeout
        let exchange = try begin(request, isStream: false)
        do throws(HTTPFailure) {
            return try await completion(of: exchange)
        } catch {
            guard exchange.isForsaken, request.isRepeatable else { throw error }
            var again = request
            again.timeout = end - SystemCall.monotonicTime()
            guard again.timeout > .zero else { throw error }
            return try await completion(of: begin(again, isStream: false))
        }
    }

    private func completion(of exchange: Exchange) async throws(HTTPFailure) -> Exchange.Completed {
        let ending = LoopBound((self, exchange), on: loop)
        return try await withTaskCancellationHandler {
            await exchange.completed()
        } onCancel: {
            ending.loop.execute { ending.value.0.giveUp(ending.value.1, .cancelled) }
        }.get()
    }

    /// Puts a request under way.
    func begin(_ request: HTTPRequest, isStream: Bool) throws(HTTPFailure) -> Exchange {
        precondition(loop.isCurrent, "a request began on another thread than the loop's")
        if Task.isCancelled { throw .cancelled }
        guard exchanges.count < settings.maximumRequests else { throw .overloaded }
        let multi = unsafe try openMulti()
        let easy = try EasyHandle.make(request, settings, from: handles)
        let exchange = Exchange(
            request,
            easy,
            isStream: isStream,
            allowsPrivateAddresses: settings.allowsPrivateAddresses,
            on: loop
        )
        try exchange.connectCallbacks()
        guard let handle = unsafe exchange.handle else { throw .unavailable }
        exchanges[UInt(bitPattern: handle)] = exchange
        guard unsafe curl_multi_add_handle(multi, handle) == CURLM_OK else {
            exchanges[UInt(bitPattern: handle)] = nil
            throw .unavailable
        }
        exchange.watchIdleness { [weak self] in self?.giveUp($0, .timedOut) }
        return exchange
    }

    /// Ends an exchange early. Not for use in libcurl's callbacks.
    func giveUp(_ exchange: Exchange, _ failure: HTTPFailure) {
        guard let handle = unsafe exchange.handle else { return }
        remove(UInt(bitPattern: handle))
        exchange.finish(.failure(failure))
    }

    /// Ends all exchanges, and closes the connections.
    func close() {
        isClosed = true
        for exchange in exchanges.values { giveUp(exchange, .unavailable) }
        if let multi = unsafe multi { unsafe curl_multi_cleanup(multi) }
        unsafe multi = nil
        for watch in watches.values { watch.end(on: loop) }
        watches = [:]
        timer?.cancel()
        timer = nil
    }

    private func openMulti() throws(HTTPFailure) -> UnsafeMutableRawPointer {
        if let multi = unsafe multi { return unsafe multi }
        guard !isClosed, CurlLibrary.isReady, let multi = unsafe curl_multi_init() else { throw .unavailable }
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe ccurl_multi_set_callbacks(multi, wantsSocket, wantsTimer, context)
        _ = unsafe ccurl_multi_set_number(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHost)
        _ = unsafe ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, settings.keptConnections)
        unsafe self.multi = unsafe multi
        return unsafe multi
    }

    private func remove(_ key: UInt) {
        exchanges[key] = nil
        if let multi = unsafe multi {
            _ = unsafe curl_multi_remove_handle(multi, UnsafeMutableRawPointer(bitPattern: key))
        }
    }

    // MARK: - Events

    /// Lets libcurl handle a socket, or with -1 its timer.
    func act(_ descriptor: CInt, _ events: CInt) {
        guard let multi = unsafe multi else { return }
        var running: CInt = 0
        _ = unsafe curl_multi_socket_action(multi, descriptor, events, &running)
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let handle = unsafe message.pointee.easy_handle else {
                continue
            }
            // The message ends with the removal.
            let code = unsafe ccurl_message_result(message)
            let key = UInt(bitPattern: handle)
            let exchange = exchanges[key]
            remove(key)
            exchange?.finish(code)
        }
    }

    fileprivate func setTimer(milliseconds: Int) {
        guard milliseconds >= 0 else {
            timer?.cancel()
            return
        }
        let deadline = SystemCall.monotonicTime() + .milliseconds(milliseconds)
        if let timer { return timer.reschedule(at: deadline) }
        timer = loop.schedule(at: deadline) { [weak self] in self?.act(-1, 0) }
    }

    fileprivate func watch(_ descriptor: CInt, _ wanted: CInt) {
        guard wanted != Self.nothingMore else {
            watches.removeValue(forKey: descriptor)?.end(on: loop)
            return
        }
        var interest: Interest = []
        if wanted & Self.input != 0 { interest.insert(.read) }
        if wanted & Self.output != 0 { interest.insert(.write) }
        if let watch = watches[descriptor] { return watch.update(interest, on: loop) }
        // A socket that cannot be watched runs into its timeout.
        watches[descriptor] = SocketWatch(descriptor, interest, self, on: loop)
    }

    // `CURL_POLL_IN`, `CURL_POLL_OUT` and `CURL_POLL_REMOVE`, macros.
    private static let input: CInt = 1
    private static let output: CInt = 2
    private static let nothingMore: CInt = 4
}

private let wantsSocket:
    @convention(c) (
        UnsafeMutableRawPointer?, curl_socket_t, CInt, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> CInt = { _, descriptor, wanted, context, _ in
        guard let context = unsafe context else { return 0 }
        unsafe Unmanaged<LoopTransfers>.fromOpaque(context).takeUnretainedValue().watch(descriptor, wanted)
        return 0
    }

private let wantsTimer: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> CInt = {
    _,
    milliseconds,
    context in
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<LoopTransfers>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}
