import SwiftletEventLoop

/// A connection to a walsender, which takes simple queries, and then streams. Belongs to its loop's thread.
///
/// It reads on only while the messages that nobody has taken are few, so a slow consumer costs no memory; statuses are
/// sent meanwhile.
final class ReplicationConnection: ReadinessHandler {
    typealias Response = Result<[[String?]], PostgresError>
    typealias Messages = Result<[LogicalMessage], PostgresError>

    /// Messages that are read from the socket in one turn of the loop.
    private static let messagesPerTurn = 256
    /// Bytes that may wait for the consumer.
    private static let maximumWaitingBytes = 4_000_000

    private let loop: EventLoop
    private let fence: PrimaryFence?
    /// That of the server that it is connected to, where that counts.
    private var history: ServerHistory?
    private var connector: Connector?
    private var handle: ConnectionHandle?
    private var registration: Registration?
    private var timer: LoopTimer?
    private var progress: StreamProgress?
    /// Why nothing more comes.
    private var end: PostgresError?

    private var onConnected: ((PostgresError?) -> Void)?
    private var rows: [[String?]] = []
    private var failure: PostgresError?
    private var onResponse: ((Response) -> Void)?

    private var waiting: [LogicalMessage] = []
    private var waitingBytes = 0
    private var onMessages: ((Messages) -> Void)?
    /// libpq may hold messages that the socket will not announce again.
    private var isReadDue = false
    private var hasUnsent = false

    init(fence: PrimaryFence? = nil, on loop: EventLoop) {
        self.fence = fence
        self.loop = loop
    }

    // MARK: - Connecting and asking

    func connect(_ settings: ConnectionSettings, timeout: Duration, _ completion: @escaping (PostgresError?) -> Void) {
        if let end { return completion(end) }
        onConnected = completion
        connector = Connector(
            settings,
            isBehindPooler: false,
            isPipelined: false,
            fence: fence,
            timeout: timeout,
            on: loop,
            succeed: { [weak self] handle in self?.connected(handle) },
            fail: { [weak self] error in self?.finish(error) }
        )
    }

    private func connected(_ handle: consuming ConnectionHandle) {
        history = connector?.history
        connector = nil
        guard let registration = try? loop.register(handle.descriptor, .read, self) else {
            return finish(.connectionFailure("the connection's socket could not be watched"))
        }
        self.registration = registration
        self.handle = consume handle
        onConnected.take()?(nil)
    }

    /// Runs one simple query; one at a time, and none once it streams.
    func ask(_ text: String, _ completion: @escaping (Response) -> Void) {
        if let end { return completion(.failure(end)) }
        precondition(onResponse == nil && progress == nil, "a query was sent before the answer of the one before")
        (rows, failure, onResponse) = ([], nil, completion)
        guard handle?.sendSimple(text) == true else { return finish(handle?.takeLastError()) }
        flush()
    }

    // MARK: - Streaming

    /// Streams from `start` on, or from what was confirmed last if that is later.
    func stream(_ command: String, from start: LogSequenceNumber, _ completion: @escaping (PostgresError?) -> Void) {
        ask(command) { [weak self] response in
            guard let self else { return }
            switch response {
            case .failure(let error): completion(error)
            case .success:
                progress = StreamProgress(from: start, at: loop.now)
                schedule()
                completion(nil)
                readOn()
            }
        }
    }

    /// Gives what has arrived, as soon as there is something.
    func take(_ completion: @escaping (Messages) -> Void) {
        precondition(onMessages == nil, "a stream has one reader")
        onMessages = completion
        deliver()
    }

    func confirm(_ position: LogSequenceNumber) {
        if progress?.confirm(position) == true { sendStatus() }
    }

    /// How far the server has got, and what it need not keep.
    var positions: (received: LogSequenceNumber, confirmed: LogSequenceNumber)? {
        progress.map { ($0.received, $0.confirmed) }
    }

    func close() { finish(.cancelled) }

    /// Ends with an error where the server was the primary before: what it streams may be in no other.
    func leavePrimary(before newest: ServerHistory) {
        guard history?.precedes(newest) == true else { return }
        waiting = []
        finish(.connectionFailure("another server was promoted"))
    }

    func ready(_ readiness: Readiness) {
        let isOpen = handle?.consumeInput() ?? false
        if progress == nil { takeAnswers() } else { read() }
        guard end == nil else { return }
        if !isOpen || handle?.isBad != false { return finish(handle?.takeLastError()) }
        if hasUnsent { flush() }
    }

    private func takeAnswers() {
        while onResponse != nil, handle?.isBad == false, handle?.isBusy == false {
            switch handle?.nextSimpleResponse() {
            case .rows(let more): rows += more
            case .failed(let error): failure = error
            case .copyBoth: return respond(.success([]))
            case .end, nil: return respond(failure.map { .failure($0) } ?? .success(rows))
            }
        }
    }

    private func respond(_ response: Response) { onResponse.take()?(response) }

    private func read() {
        var budget = Self.messagesPerTurn
        while budget > 0, waitingBytes < Self.maximumWaitingBytes, end == nil {
            switch handle?.nextCopyData() {
            case .data(let bytes): receive(bytes)
            case .incomplete, nil:
                deliver()
                return watch()
            case .ended: return finish(handle?.takeCopyError())
            }
            budget -= 1
        }
        deliver()
        watch()
        if waitingBytes < Self.maximumWaitingBytes { readOn() }
    }

    /// Reads in the next turn what libpq has taken from the socket.
    private func readOn() {
        guard !isReadDue else { return }
        isReadDue = true
        let connection = LoopBound(self, on: loop)
        loop.execute {
            connection.value.isReadDue = false
            if connection.value.end == nil { connection.value.read() }
        }
    }

    private func receive(_ bytes: [UInt8]) {
        do throws(ReplicationMessageError) {
            let frame = try StreamFrame(bytes)
            let mustReply = progress?.note(frame, at: loop.now) == true
            if case .data(let offset) = frame {
                let message = try LogicalMessage(bytes, from: offset)
                progress?.note(message)
                waiting.append(message)
                waitingBytes += bytes.count
            }
            if mustReply { sendStatus() }
        } catch {
            finish(.connectionFailure("the replication stream cannot be read: \(error)"))
        }
    }

    private func deliver() {
        if let end, waiting.isEmpty {
            onMessages.take()?(.failure(end))
        } else if !waiting.isEmpty, let onMessages = onMessages.take() {
            let messages = waiting
            let wasFull = waitingBytes >= Self.maximumWaitingBytes
            (waiting, waitingBytes) = ([], 0)
            if wasFull {
                progress?.notePause(at: loop.now)
                readOn()
            }
            onMessages(.success(messages))
        }
    }

    // MARK: - Sending

    private func sendStatus() {
        guard let progress, end == nil else { return }
        let status = StreamFrame.status(received: progress.received, confirmed: progress.confirmed)
        self.progress?.noteStatus(at: loop.now)
        // What does not fit into the socket now is too little to be refused; the next status says it again.
        guard handle?.sendCopyData(status) == true else { return finish(handle?.takeLastError()) }
        flush()
    }

    private func flush() {
        switch handle?.flush() {
        case .done: hasUnsent = false
        case .pending: hasUnsent = true
        case .failed, nil: return finish(handle?.takeLastError())
        }
        watch()
    }

    /// Waits for the socket: to read unless too much waits already, and to write while something is unsent.
    private func watch() {
        guard let registration else { return }
        let mayRead = waitingBytes < Self.maximumWaitingBytes
        var interest: Interest = mayRead ? .read : []
        if hasUnsent { interest.insert(.write) }
        loop.update(registration, interest)
    }

    private func schedule() {
        guard let progress, end == nil else { return }
        timer = loop.schedule(at: min(progress.nextStatus, progress.lostAt)) { [weak self] in self?.tick() }
    }

    private func tick() {
        guard let progress, end == nil else { return }
        if waitingBytes >= Self.maximumWaitingBytes {
            self.progress?.notePause(at: loop.now)
        } else if loop.now >= progress.lostAt {
            return finish(.connectionFailure("the replication stream has been silent for too long"))
        }
        if loop.now >= progress.nextStatus { sendStatus() }
        schedule()
    }

    private func finish(_ error: PostgresError?) {
        guard end == nil else { return }
        let error = error ?? .connectionFailure
        end = error
        connector?.cancel()
        connector = nil
        timer?.cancel()
        if let registration { loop.deregister(registration) }
        registration = nil
        handle = nil
        onConnected.take()?(error)
        respond(.failure(error))
        deliver()
    }
}
