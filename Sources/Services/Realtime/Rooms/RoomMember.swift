import SwiftletAuth

/// Who hears what is said in a room. Used on its loop only.
protocol RoomMember: AnyObject {
    var room: RoomName { get }
    /// The room's name as the member knows it.
    var topic: String { get }
    var version: WireVersion { get }
    var user: User { get }
    var rights: ChannelRights { get }
    var receivesPresence: Bool { get }
    /// What the member has told of itself.
    var presence: TrackedPresence? { get }
    /// Its index among the members of its room on this loop. The room sets it.
    var position: Int { get set }

    func send(frame: [UInt8])
    func sendBroadcast(_ frame: [UInt8], _ id: String?)
    /// Ends the membership on the server's own account.
    func end(_ reason: String)
}
