package import SwiftletRedis

/// Limits and delays of `/realtime/v1`.
package struct RealtimeSettings: Sendable {
    /// Of this server; more get 429.
    package var maximumSockets = 10_000
    /// Of one socket.
    package var maximumChannels = 100
    /// Of one socket, on the average of ten seconds; then its channel is closed.
    package var messagesPerSecond = 100
    /// Of one socket; then it is closed.
    package var joinsPerSecond = 100
    /// Of one channel within 30 s: tracking and untracking. Then it is closed.
    package var presenceCalls = 5
    /// Of a message to clients: those of the official clients take a mebibyte.
    package var maximumPayloadBytes = 1_000_000
    /// Of all that a room's presence holds.
    package var maximumPresenceBytes = 900_000
    /// How long changes of a room's presence are gathered.
    package var presenceInterval: Duration = .milliseconds(50)
    /// How long a refusal waits, so that clients do not try again at once.
    package var refusalDelay: Duration = .milliseconds(500)
    /// How long a socket may be in no channel.
    package var idleTimeout: Duration = .seconds(600)
    /// How often servers of one database tell each other that they are alive.
    package var beatInterval: Duration = .seconds(5)
    /// After so long a silence they are not.
    package var silenceLimit: Duration = .seconds(15)

    /// What carries broadcasts and presence between servers; nil for the database's notifications.
    package var bus: RedisAddress?

    package init() {}
}
