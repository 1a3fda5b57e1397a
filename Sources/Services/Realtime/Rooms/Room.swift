import SwiftletEventLoop

/// The members of a room that are connected on one loop, and all that are present in it. Used on the loop only.
final class Room {
    let name: RoomName
    /// In no order.
    private(set) var members: [any RoomMember] = []
    var presence = PresenceTable()
    /// To be told together.
    var waitingChanges: [PresenceChange] = []
    /// When the first of them came.
    var waitingSince = LoopInstant.distantPast
    var lastTold = LoopInstant.distantPast
    var timer: LoopTimer?

    init(_ name: RoomName) { self.name = name }

    var isUnused: Bool { members.isEmpty && presence.isEmpty && waitingChanges.isEmpty }

    func add(_ member: any RoomMember) {
        member.position = members.count
        members.append(member)
    }

    func remove(_ member: any RoomMember) {
        guard members.indices.contains(member.position), members[member.position] === member else { return }
        let last = members.removeLast()
        guard last !== member else { return }
        members[member.position] = last
        last.position = member.position
    }
}
