import SwiftletBlockingPool
package import SwiftletEventLoop
import SwiftletOutbound

/// A channel of a redis (publish and subscribe), which is opened again by itself whenever its connection is lost.
package final class RedisChannel: Sendable {
    package enum Event: Sendable {
        /// From here on messages are heard, one's own among them.
        case opened
        case message(String)
        /// Or could not be opened. What is said until it is opened again is lost, as are those texts that were taken, but
        /// not written before.
        case lost(reason: String, unwritten: Int)
    }

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(10)
    /// Connecting blocks a thread, for its time limit at most.
    private static let connecting = BlockingPool("redis", width: 2, depth: 64)

    private let address: RedisAddress
    private let name: String
    private let loop: EventLoop
    private let held: LoopBound<Held>
    private let onEvent: @Sendable (Event) -> Void

    /// Belongs to the loop.
    private final class Held {
        var connection: RedisConnection?
        var isClosed = false
    }

    /// `onEvent` is called on the loop, or by ``run()``.
    package init(
        _ address: RedisAddress,
        _ name: String,
        on loop: EventLoop,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.address = address
        self.name = name
        self.loop = loop
        self.onEvent = onEvent
        held = LoopBound(Held(), on: loop)
    }

    /// Until the task is cancelled.
    package func run() async {
        var pause = Self.firstPause
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let (reason, unwritten) = await session()
            guard !Task.isCancelled else { return }
            onEvent(.lost(reason: reason, unwritten: unwritten))
            // One that was there for a while has only been started anew.
            if ContinuousClock.now - start > Self.longestPause { pause = Self.firstPause }
            try? await Task.sleep(for: pause * Double.random(in: 0.5...1))
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Gives the texts to the connection, in this order. False where there is none: they are lost then.
    package func publish(_ texts: [String]) async -> Bool {
        await loop.run { [held] in held.value.connection?.publish(texts) ?? false }
    }

    /// One connection, from its beginning to its end; why it ended, and how many texts were left.
    private func session() async -> (reason: String, unwritten: Int) {
        let socket: OutboundSocket
        do {
            socket = try await Self.connecting.run { [address] in
                try OutboundSocket.connect(
                    host: address.host,
                    port: address.port,
                    isSecure: address.isSecure,
                    trust: address.trust,
                    timeout: address.timeout
                )
            }
        } catch {
            return ("\(error)", 0)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { [self] in open(socket) { continuation.resume(returning: ($0, $1)) } }
            }
        } onCancel: {
            loop.execute { [held] in
                held.value.isClosed = true
                held.value.connection?.end("cancelled")
            }
        }
    }

    private func open(_ socket: OutboundSocket, _ onEnd: @escaping (String, Int) -> Void) {
        if held.value.isClosed { return onEnd("cancelled", 0) }
        let connection = RedisConnection(socket, name, on: loop) { [held, onEvent] event in
            switch event {
            case .opened: onEvent(.opened)
            case .message(let text): onEvent(.message(text))
            case .ended(let reason, let unwritten):
                held.value.connection = nil
                onEnd(reason, unwritten)
            }
        }
        held.value.connection = connection
        connection.start(address)
    }
}
