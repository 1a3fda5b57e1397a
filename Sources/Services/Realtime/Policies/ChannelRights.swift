/// What a channel may do in its room.
struct ChannelRights: Equatable {
    var readsBroadcasts = true
    var readsPresence = true
    /// nil until it has been found out.
    var writesBroadcasts: Bool? = true
    var writesPresence: Bool? = true

    /// In a public room everyone may do everything.
    static let all = ChannelRights()
}
