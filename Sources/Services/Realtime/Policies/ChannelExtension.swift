/// What policies of `realtime.messages` distinguish by its column `extension`.
enum ChannelExtension: String, Sendable {
    case broadcast
    case presence
}
