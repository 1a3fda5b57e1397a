import SwiftletEventLoop
import SwiftletHTTP

/// The server on one loop: its listeners, its connections, and what they share. Used on the loop only.
final class Worker {
    let loop: EventLoop
    let configuration: HTTPServerConfiguration
    let handler: HTTPHandler
    let counters: WorkerCounters
    private let certificates: TLSCertificates?
    private let admission: Admission
    private var listeners: [Listener] = []
    private var connections: [HTTPConnection] = []
    private var waitingForOutput: [HTTPConnection] = []
    private var drained: [() -> Void] = []
    private var cutOff: LoopTimer?
    private(set) var isDraining = false

    let timeouts: ConnectionState.Timeouts

    /// The content that counts against ``HTTPServerConfiguration/maximumHeldBodyBytes``.
    var heldBodyBytes = 0
    let unreadOutput: UnreadOutput
    private var heldOutputBytes = 0

    /// The buffer for responses that are sent at once. Keeps its memory.
    var output: [UInt8] = []
    private static let maximumKeptBytes = 262_144
    /// In nanoseconds: shorter, a client that asks again and again would lose its connection between two requests.
    private static let minimumIdle: Int64 = 1_000_000_000
    private static let maximumClosedForRoom = 32
    /// How long a client may take to read that the server is stopping.
    private static let farewell = Duration.milliseconds(250)
    private var dateSecond: Int
    private var cachedDate: HTTPDate

    init(
        loop: EventLoop,
        configuration: HTTPServerConfiguration,
        handler: HTTPHandler,
        admission: Admission,
        certificates: TLSCertificates?
    ) {
        self.certificates = certificates
        self.loop = loop
        self.configuration = configuration
        self.handler = handler
        self.admission = admission
        counters = WorkerCounters()
        unreadOutput = UnreadOutput(limit: configuration.maximumHeldOutputBytes)
        timeouts = ConnectionState.Timeouts(
            header: configuration.headerTimeout,
            body: configuration.bodyTimeout,
            request: configuration.requestTimeout,
            idle: configuration.idleTimeout,
            send: configuration.sendTimeout,
            linger: configuration.lingerTimeout
        )
        // The loop, which runs already, is asked for the time at the first use.
        dateSecond = .min
        cachedDate = HTTPDate(secondsSince1970: 0)
    }

    func add(_ descriptor: consuming FileDescriptor) {
        listeners.append(Listener(descriptor, admission: admission, worker: self))
    }

    func start() {
        for listener in listeners { listener.start() }
    }

    /// The `Date` field, formatted once a second.
    var date: HTTPDate {
        if loop.wallClock != dateSecond {
            dateSecond = loop.wallClock
            cachedDate = HTTPDate(secondsSince1970: dateSecond)
        }
        return cachedDate
    }

    func opened(_ descriptor: consuming FileDescriptor, from address: SocketAddress) {
        let network = ClientNetwork(address)
        guard admission.admit(network) else {
            counters.requestRefused()
            return admission.leave()
        }
        let session = certificates?.makeSession(over: descriptor)
        if certificates != nil, session == nil { return admission.leave(from: network) }
        let transport = ClientSocket(descriptor, session)
        let connection = HTTPConnection(transport, from: address, network, worker: self, slot: connections.count)
        guard connection.start() else { return admission.leave(from: network) }
        connections.append(connection)
        counters.connectionOpened()
        if isDraining { connection.drain() }
    }

    func closed(_ connection: HTTPConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.slot] = last
            last.slot = connection.slot
        }
        admission.leave(from: connection.network)
        counters.connectionClosed()
        for listener in listeners { listener.resume() }
        if isDraining, connections.isEmpty { finishDraining() }
    }

    /// Makes room for clients that wait to be accepted: of this loop's connections that nothing has been asked on for a
    /// second, those that are idle longest.
    func closeLongestIdle() {
        let limit = loop.now.advanced(by: -Self.minimumIdle)
        let idle = connections.compactMap { connection in connection.idleSince.map { (since: $0, connection) } }
            .filter { $0.since <= limit }
        guard !idle.isEmpty else { return }
        for (_, connection) in idle.sorted(by: { $0.since < $1.since }).prefix(Self.maximumClosedForRoom) {
            connection.close()
        }
    }

    /// Sends what is in `output`, and empties it.
    func sendOutput(
        over transport: borrowing ClientSocket,
        keepingRestIn rest: inout OutputBuffer
    ) -> TransferResult {
        let result = transport.write(output)
        switch result {
        case .bytes(let sent): if sent < output.count { rest.append(output[sent...]) }
        case .wouldBlock, .endOfStream: rest.append(output[...])
        case .failed: break
        }
        // The memory of one large response is not kept.
        output.removeAll(keepingCapacity: output.capacity <= Self.maximumKeptBytes)
        return result
    }

    /// Called when a client's unread output grows or shrinks, in bytes.
    ///
    /// Above twice the limit, the blocked clients whose time is up first are disconnected. This can happen because
    /// small responses and the responses to changes are never withheld.
    func outputChanged(from old: Int, to new: Int) {
        unreadOutput.changed(from: old, to: new)
        heldOutputBytes &+= new &- old
        while new > old, heldOutputBytes / 2 > unreadOutput.limit {
            let blocked = connections.lazy.filter(\.isBlocked)
            // A single slow client is not disconnected: it may read all that it has asked for.
            guard blocked.dropFirst().first != nil, let slowest = blocked.min(by: { $0.deadline < $1.deadline }) else {
                return
            }
            slowest.closeUnread()
        }
    }

    /// Flushes the connection at the end of the turn, so that responses that are ready by then share a write.
    func flushAfterTurn(_ connection: HTTPConnection) {
        if waitingForOutput.isEmpty { loop.afterTurn(self) }
        waitingForOutput.append(connection)
    }

    /// Stops accepting, lets the connections finish, and answers 503 to the requests that have not after `grace`.
    func drain(within grace: Duration, _ completion: @escaping () -> Void) {
        drained.append(completion)
        if !isDraining {
            isDraining = true
            for listener in listeners { listener.stop() }
            listeners = []
            for connection in connections { connection.drain() }
        }
        if connections.isEmpty { return finishDraining() }
        cutOff?.cancel()
        cutOff = loop.schedule(after: grace) { [unowned self] in cutOffConnections() }
    }

    private func cutOffConnections() {
        for connection in connections { connection.cutOff() }
        guard !connections.isEmpty else { return }
        cutOff = loop.schedule(after: Self.farewell) { [unowned self] in closeConnections() }
    }

    private func closeConnections() {
        for connection in connections { connection.close() }
    }

    private func finishDraining() {
        cutOff?.cancel()
        cutOff = nil
        let completions = drained
        drained = []
        for completion in completions { completion() }
    }
}

extension Worker: TurnObserver {
    func turnEnded() {
        var batch: [HTTPConnection] = []
        swap(&batch, &waitingForOutput)
        for connection in batch { connection.flush() }
        // Keeps the storage, unless a connection has been added meanwhile.
        guard waitingForOutput.isEmpty else { return }
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &waitingForOutput)
    }
}
