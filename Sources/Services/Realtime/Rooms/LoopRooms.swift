import SwiftletAuth
import SwiftletEventLoop

/// The rooms of one loop: who is in them, and what goes to them. Used on the loop only.
final class LoopRooms {
    /// So long a server has to say who is present with it.
    private static let retellingTime = Duration.seconds(1)
    /// So long changes wait at most, however often servers tell anew.
    private static let longestWait = Duration.seconds(2)

    let loop: EventLoop
    private unowned let hub: RoomHub
    private var rooms: [RoomName: Room] = [:]
    /// For the other loops and servers, at the end of the turn.
    private var outgoing: [RoomMessage] = []

    init(_ loop: EventLoop, _ hub: RoomHub) {
        self.loop = loop
        self.hub = hub
    }

    var count: Int { rooms.count }

    func join(_ member: any RoomMember) {
        room(member.room).add(member)
        hub.counters.channelJoined()
    }

    func leave(_ member: any RoomMember) {
        guard let room = rooms[member.room] else { return }
        room.remove(member)
        hub.counters.channelLeft()
        forget(room)
    }

    /// Ends the channels of those for whom `test` holds.
    func end(_ reason: String, where test: (User) -> Bool) {
        let members = rooms.values.flatMap { $0.members.filter { test($0.user) } }
        for member in members { member.end(reason) }
    }

    /// Who is present, as far as the members have been told.
    func presence(in name: RoomName) -> PresenceTable { rooms[name]?.presence ?? PresenceTable() }

    /// Sends to all members but the sender, here and elsewhere.
    func publish(_ delivery: RoomMessage, from sender: (any RoomMember)? = nil) {
        // Behind this turn it is passed on before frames are written here: the other loops write at the same time.
        if outgoing.isEmpty { loop.afterTurn(self) }
        outgoing.append(delivery)
        deliver(delivery, from: sender)
    }

    /// Sends what comes from another loop or server.
    func receive(_ deliveries: [RoomMessage]) {
        for delivery in deliveries { deliver(delivery) }
    }

    private func deliver(_ delivery: RoomMessage, from sender: (any RoomMember)? = nil) {
        switch delivery.content {
        case .broadcast(let broadcast):
            guard let room = rooms[delivery.room] else { return }
            send(broadcast, delivery.messageID, to: room, from: sender)
        case .presence(let changes): change(room(delivery.room), changes)
        }
    }

    private func send(_ broadcast: Broadcast, _ id: String?, to room: Room, from sender: (any RoomMember)?) {
        var frames = MemberFrames { broadcast.frame(topic: $0, $1) }
        for member in room.members where member !== sender && member.rights.readsBroadcasts {
            if let frame = frames.frame(for: member) { member.sendBroadcast(frame, id) }
        }
    }

    // MARK: - Presence

    private func change(_ room: Room, _ changes: [PresenceChange], after delay: Duration = .zero) {
        if room.waitingChanges.isEmpty { room.waitingSince = loop.now }
        room.waitingChanges += changes
        // Many changes at once, such as those behind a restart, share messages.
        let due = max(room.lastTold + hub.settings.presenceInterval, loop.now + delay)
        if let timer = room.timer {
            if delay > .zero {
                timer.reschedule(at: min(max(due, timer.deadline), room.waitingSince + Self.longestWait))
            }
            return
        }
        if due <= loop.now { return tellChanges(in: room) }
        room.timer = loop.schedule(at: due) { [weak self, weak room] in
            guard let self, let room else { return }
            room.timer = nil
            self.tellChanges(in: room)
        }
    }

    private func tellChanges(in room: Room) {
        room.lastTold = loop.now
        let diff = room.presence.apply(room.waitingChanges)
        room.waitingChanges = []
        if let diff {
            var frames = MemberFrames { topic, version in
                ServerMessage(topic: JSONText(quoting: topic), event: "presence_diff", payload: diff).frame(version)
            }
            for member in room.members where member.receivesPresence {
                if let frame = frames.frame(for: member) { member.send(frame: frame) }
            }
        }
        forget(room)
    }

    /// What members on this loop have told of themselves, behind all that they have sent before.
    func ownPresence() -> [RoomMessage] {
        passOn()
        return rooms.values.compactMap { room in
            let changes = room.members.compactMap { member in
                member.presence.map { tracked in
                    PresenceChange.join(key: tracked.key, ref: tracked.ref, meta: tracked.meta, server: hub.server)
                }
            }
            return changes.isEmpty ? nil : RoomMessage(room: room.name, content: .presence(changes))
        }
    }

    /// Who comes and goes within the delay is not told: so those whom the server tells of anew have never left.
    func forget(_ server: ServerID, isToldAnew: Bool) {
        for room in rooms.values where room.presence.has(server) || !room.waitingChanges.isEmpty {
            change(room, [.serverGone(server)], after: isToldAnew ? Self.retellingTime : .zero)
        }
    }

    private func passOn() {
        guard !outgoing.isEmpty else { return }
        let batch = outgoing
        outgoing = []
        hub.pass(on: batch, from: loop)
    }

    // MARK: - Rooms

    private func room(_ name: RoomName) -> Room {
        if let room = rooms[name] { return room }
        let room = Room(name)
        rooms[name] = room
        return room
    }

    private func forget(_ room: Room) {
        if room.isUnused { rooms[room.name] = nil }
    }
}

extension LoopRooms: TurnObserver {
    func turnEnded() { passOn() }
}

/// The frames of one message, each made once for all members that take the same.
private struct MemberFrames {
    let make: (_ topic: String, WireVersion) -> [UInt8]?
    private var objects: [UInt8]??
    private var arrays: [UInt8]??

    init(_ make: @escaping (_ topic: String, WireVersion) -> [UInt8]?) { self.make = make }

    mutating func frame(for member: any RoomMember) -> [UInt8]? {
        switch member.version {
        case .objects:
            if let objects { return objects }
            let frame = make(member.topic, .objects)
            objects = .some(frame)
            return frame
        case .arrays:
            if let arrays { return arrays }
            let frame = make(member.topic, .arrays)
            arrays = .some(frame)
            return frame
        }
    }
}
