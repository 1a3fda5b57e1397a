/// A topic without its `realtime:`. A public and a private room of one topic have nothing in common.
struct RoomName: Hashable, Sendable {
    let topic: String
    let isPrivate: Bool
}
