import SwiftletAuth
import SwiftletBytes
import SwiftletEventLoop
import SwiftletRedis
import Synchronization

/// Texts between servers over a channel of a redis, whose name follows from the key that the servers of a database share:
/// databases on one redis do not hear each other.
final class RedisTransport: BusTransport {
    private let address: RedisAddress
    private let loop: EventLoop
    private let channel = Mutex<RedisChannel?>(nil)

    init(_ address: RedisAddress, on loop: EventLoop) {
        self.address = address
        self.loop = loop
    }

    /// Above any message of a client, half of what ``RESPReader`` takes.
    var maximumBytes: Int { RESPReader.maximumBytes / 2 }

    func run(_ key: String, _ onEvent: @escaping @Sendable (BusEvent) -> Void) async {
        guard let name = Self.channelName(key) else { return }
        let opened = RedisChannel(address, name, on: loop) { event in
            switch event {
            case .opened: onEvent(.connected)
            case .message(let text): onEvent(.text(text))
            case .lost(let reason, let unwritten): onEvent(.lost(reason: reason, unwritten: unwritten))
            }
        }
        channel.withLock { $0 = opened }
        await opened.run()
        channel.withLock { $0 = nil }
    }

    /// `swiftlet:realtime:` and a digest, which says nothing about the key. nil for want of memory.
    static func channelName(_ key: String) -> String? {
        let digest = try? HMACKey(Secret(key)).authenticate(Array("channel".utf8))
        return digest.map { "swiftlet:realtime:" + Hexadecimal.encode(Array($0.prefix(8))) }
    }

    func send(_ texts: [String]) async throws {
        guard let channel = channel.withLock(\.self), await channel.publish(texts) else { throw BusFault.notConnected }
    }

    func store(_ content: String) async throws -> Int { throw BusFault.tooLong }

    func load(_ number: Int) async -> String? { nil }
}
