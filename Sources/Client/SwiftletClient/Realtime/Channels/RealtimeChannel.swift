import Foundation

/// A topic that the app is on: broadcasts to all who are on it, and who is present.
///
///     let room = realtime.channel("room:7", isPrivate: true)
///     await room.join()
///     for await message in room.messages { show(try message.decode(Line.self)) }
///
/// It joins again by itself after the connection was lost, and tells again who is present here.
public struct RealtimeChannel: Sendable {
    let client: RealtimeClient
    let name: String

    /// Returns at once; ``statuses`` say what becomes of it.
    public func join() async { await client.join(name) }

    public func leave() async { await client.leave(name) }

    /// Sends to the others on the channel. Throws ``APIError/network`` while it is not joined.
    public func send(_ event: String, _ payload: some Encodable & Sendable) async throws {
        try await client.send(name, event, try RealtimeClient.encoded(payload))
    }

    /// Tells who is here, until the channel is left or the app ends.
    public func track(_ payload: some Encodable & Sendable) async throws {
        await client.track(name, try RealtimeClient.encoded(payload))
    }

    public func untrack() async { await client.track(name, nil) }

    /// What comes from now on. Each of several listeners gets all of it; one that is slow misses the oldest beyond 1000.
    public var messages: AsyncStream<ChannelMessage> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1000)) { listener in
            Task { await client.listen(name) { $0.messages.append(listener) } }
        }
    }

    /// Who is present, now and after every change.
    public var presence: AsyncStream<[PresenceMember]> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { listener in
            Task {
                await client.listen(name) { channel in
                    channel.presences.append(listener)
                    if channel.status == .joined { listener.yield(channel.presence.members) }
                }
            }
        }
    }

    /// How the channel is, now and after every change.
    public var statuses: AsyncStream<ChannelStatus> {
        AsyncStream { listener in
            Task {
                await client.listen(name) { channel in
                    channel.statuses.append(listener)
                    listener.yield(channel.status)
                }
            }
        }
    }
}
