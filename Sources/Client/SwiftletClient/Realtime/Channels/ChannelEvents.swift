import Foundation

/// A message that somebody has sent to a channel.
public struct ChannelMessage: Sendable {
    public let event: String
    let json: Data

    /// Throws ``APIError``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(APIError) -> Value {
        try APIClient.decode(type, from: json)
    }
}

/// Somebody, or one of their devices, that is present on a channel.
public struct PresenceMember: Sendable {
    public let key: String
    let json: Data

    /// What they have told of themselves. Throws ``APIError``.
    public func decode<Value: Decodable>(_ type: Value.Type) throws(APIError) -> Value {
        try APIClient.decode(type, from: json)
    }
}

/// How a channel is.
public enum ChannelStatus: Sendable, Equatable {
    case joining
    case joined
    /// The server has refused it, and says why: it is not tried again until ``RealtimeChannel/join()`` is called.
    case refused(String)
    case left
}
