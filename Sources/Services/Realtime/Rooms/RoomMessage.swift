/// What reaches the members of a room on every loop, and of every server.
struct RoomMessage: Sendable {
    enum Content: Sendable {
        case broadcast(Broadcast)
        case presence([PresenceChange])
    }

    let room: RoomName
    let content: Content
    /// Of a row of `realtime.messages`.
    var messageID: String?
}
