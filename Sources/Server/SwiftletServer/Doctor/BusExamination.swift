import SwiftletEventLoop
import SwiftletRedis

/// Says something over `REALTIME_BUS` and hears it.
struct BusExamination: Sendable {
    private static let channel = "swiftlet:realtime:doctor"

    private let address: RedisAddress

    init(_ address: RedisAddress) { self.address = address }

    func finding() async -> Finding {
        guard let group = try? EventLoopGroup.start(count: 1) else { return .fault("realtime bus", "no event loop") }
        let (events, sink) = AsyncStream.makeStream(of: RedisChannel.Event.self)
        let channel = RedisChannel(address, Self.channel, on: group.loops[0]) { sink.yield($0) }
        let running = Task { await channel.run() }
        let fault = await Self.fault(events, channel, address.timeout + address.answerTimeout)
        running.cancel()
        await running.value
        group.stop()
        return fault.map { .fault("realtime bus", "\(address): \($0): check REALTIME_BUS") }
            ?? .good("realtime bus", "by \(address)")
    }

    private static func fault(
        _ events: AsyncStream<RedisChannel.Event>,
        _ channel: RedisChannel,
        _ limit: Duration
    ) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                for await event in events {
                    switch event {
                    case .opened: if await !channel.publish(["examined"]) { return "it takes no message" }
                    case .message: return nil
                    case .lost(let reason, _): return reason
                    }
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return "no answer in time"
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }
}
