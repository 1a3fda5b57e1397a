import SwiftletEventLoop
import SwiftletOutbound

/// One connection that hears one channel, and speaks on it. Belongs to its loop.
final class RedisConnection: ReadinessHandler {
    enum Event {
        case opened
        case message(String)
        /// With how many texts that were taken, but not written.
        case ended(reason: String, unwritten: Int)
    }

    /// What may wait while a redis takes nothing.
    private static let maximumWaitingBytes = 16_777_216
    private static let readsPerTurn = 16
    /// A redis that has said nothing for two of these is not there any more: before other servers are taken for silent.
    private static let pingInterval = Duration.seconds(5)

    private let loop: EventLoop
    private let socket: OutboundSocket
    private let channel: String
    private var registration: Registration?
    private var reader = RESPReader()
    /// What is being written. It does not move until all of it is, as OpenSSL wants the same bytes again.
    private var writing: [UInt8] = []
    private var writtenCount = 0
    private var waiting: [UInt8] = []
    /// Where the texts end in both.
    private var writingEnds: [Int] = []
    private var waitingEnds: [Int] = []
    /// How many texts are being published right now.
    private var publishingCount = 0
    private var timer: LoopTimer?
    private var hasHeard = true
    private(set) var isOpen = false
    private var onEvent: ((Event) -> Void)?

    init(_ socket: OutboundSocket, _ channel: String, on loop: EventLoop, _ onEvent: @escaping (Event) -> Void) {
        self.socket = socket
        self.channel = channel
        self.loop = loop
        self.onEvent = onEvent
    }

    func start(_ address: RedisAddress) {
        do throws(SystemError) {
            registration = try loop.register(socket.descriptor, .read, self)
        } catch {
            return end("\(error)")
        }
        timer = loop.schedule(after: address.answerTimeout) { [weak self] in self?.timeIsOver() }
        send(RedisCommand.hello(address.login) + RedisCommand.bytes(["SUBSCRIBE", channel]))
        // TLS may have read an answer already.
        readOn()
    }

    /// False where it cannot be sent.
    func publish(_ texts: [String]) -> Bool {
        guard isOpen else { return false }
        for text in texts {
            waiting += RedisCommand.bytes(["PUBLISH", channel, text])
            waitingEnds.append(waiting.count)
        }
        publishingCount = texts.count
        defer { publishingCount = 0 }
        flush()
        return isOpen
    }

    /// Without those of a call that returns false. They are behind all others.
    private var unwrittenCount: Int {
        max(0, writingEnds.count { $0 > writtenCount } + waitingEnds.count - publishingCount)
    }

    func end(_ reason: String) {
        guard let onEvent else { return }
        self.onEvent = nil
        isOpen = false
        timer?.cancel()
        timer = nil
        if let registration { loop.deregister(registration) }
        registration = nil
        onEvent(.ended(reason: reason, unwritten: unwrittenCount))
    }

    func ready(_ readiness: Readiness) {
        if !readiness.isDisjoint(with: [.read, .hangup, .error]) { read() }
        if readiness.contains(.write) { flush() }
    }

    // MARK: - In

    private func readOn() {
        let this = LoopBound(self, on: loop)
        loop.execute { this.value.read() }
    }

    private func read() {
        for _ in 0..<Self.readsPerTurn {
            guard onEvent != nil else { return }
            switch unsafe socket.read(into: loop.scratch) {
            case .bytes(let count):
                hasHeard = true
                unsafe reader.append(UnsafeBufferPointer(loop.scratch).prefix(count))
                takeValues()
            case .wouldBlock: return
            case .endOfStream: return end("it has closed the connection")
            case .failed: return end("the connection broke")
            }
        }
        readOn()
    }

    private func takeValues() {
        do throws(RESPError) {
            while onEvent != nil, let value = try reader.next() { take(value) }
        } catch {
            end(error == .tooLarge ? "it says more than is taken" : "it does not speak the protocol of redis")
        }
    }

    private func take(_ value: RESPValue) {
        switch value {
        case .push(let items): take(push: items)
        case .fault(let text): end(isOpen ? Self.shortened(text) : Self.refusal(text))
        default: break
        }
    }

    private func take(push items: [RESPValue]) {
        guard items.count == 3, case .bytes(let kind) = items[0], items[1] == .bytes(Array(channel.utf8)) else {
            return
        }
        switch (String(decoding: kind, as: UTF8.self), items[2]) {
        case ("subscribe", _):
            guard !isOpen else { return }
            isOpen = true
            timer?.reschedule(at: loop.now + Self.pingInterval)
            onEvent?(.opened)
        case ("unsubscribe", _): end("it has ended the subscription")
        case ("message", .bytes(let bytes)): onEvent?(.message(String(decoding: bytes, as: UTF8.self)))
        default: break
        }
    }

    /// What is said of a login may repeat its words, the password among them: only the code is kept.
    private static func refusal(_ text: String) -> String {
        // HELLO is unknown before version 6.
        if text.hasPrefix("ERR unknown command") { return "redis 6 or newer is needed" }
        let code = text.prefix { $0 != " " }
        let isCode = !code.isEmpty && code.count <= 20 && code.allSatisfy { ("A"..."Z").contains($0) }
        return isCode ? String(code) : "it refuses"
    }

    /// What another program says goes into logs.
    private static func shortened(_ text: String) -> String {
        String(text.prefix(200).map { $0.isASCII && !$0.isNewline && $0 >= " " ? $0 : "?" })
    }

    // MARK: - Out

    private func send(_ bytes: [UInt8]) {
        waiting += bytes
        flush()
    }

    private func flush() {
        while writtenCount < writing.count || !waiting.isEmpty {
            if writtenCount == writing.count {
                (writing, writtenCount) = (waiting, 0)
                waiting = []
                (writingEnds, waitingEnds) = (waitingEnds, [])
            }
            let bytes = writing
            switch socket.write(bytes.span.extracting(writtenCount...)) {
            case .bytes(let count): writtenCount += count
            case .wouldBlock, .endOfStream:
                if waiting.count > Self.maximumWaitingBytes { return end("it takes nothing") }
                return watch([.read, .write])
            case .failed: return end("the connection broke")
            }
        }
        (writing, writtenCount, writingEnds) = ([], 0, [])
        watch(.read)
    }

    private func watch(_ interest: Interest) {
        if let registration { loop.update(registration, interest) }
    }

    private func timeIsOver() {
        guard isOpen else { return end("no answer in time") }
        guard hasHeard else { return end("it is silent") }
        hasHeard = false
        timer?.reschedule(at: loop.now + Self.pingInterval)
        send(RedisCommand.bytes(["PING"]))
    }
}
