import SwiftletAuth
import SwiftletEventLoop
import Synchronization

/// The rooms of all loops.
final class RoomHub: Sendable {
    let settings: RealtimeSettings
    let counters = RealtimeCounters()
    /// This one.
    let server: ServerID
    private let rooms = Mutex<[LoopBound<LoopRooms>]>([])
    /// What the members on other servers get as well.
    private let bus = Mutex<(@Sendable ([RoomMessage]) -> Void)?>(nil)

    init(_ loops: [EventLoop], _ settings: RealtimeSettings, server: ServerID) {
        self.server = server
        self.settings = settings
        let bound = loops.map { LoopBound(LoopRooms($0, self), on: $0) }
        rooms.withLock { $0 = bound }
    }

    func connect(_ bus: @escaping @Sendable ([RoomMessage]) -> Void) {
        self.bus.withLock { $0 = bus }
    }

    /// Those of the loop that this runs on; nil elsewhere.
    var current: LoopRooms? {
        guard let loop = EventLoop.current else { return nil }
        return rooms.withLock { $0.first { $0.loop === loop } }?.value
    }

    /// From any thread.
    func publish(_ deliveries: [RoomMessage]) {
        if let current {
            for delivery in deliveries { current.publish(delivery) }
        } else if let first = rooms.withLock({ $0.first }) {
            first.loop.execute { for delivery in deliveries { first.value.publish(delivery) } }
        }
    }

    /// What another server has sent.
    func receive(_ deliveries: [RoomMessage]) {
        for rooms in rooms.withLock({ $0 }) {
            rooms.loop.execute { rooms.value.receive(deliveries) }
        }
    }

    /// Gives each loop's own presences to `send`, behind what it has sent before.
    func tellPresence(_ send: @escaping @Sendable ([RoomMessage]) -> Void) {
        for rooms in rooms.withLock({ $0 }) {
            rooms.loop.execute { send(rooms.value.ownPresence()) }
        }
    }

    /// Nobody is present any more who was connected to that server, but for those whom it tells of anew.
    func forget(_ server: ServerID, isToldAnew: Bool = false) {
        for rooms in rooms.withLock({ $0 }) {
            rooms.loop.execute { rooms.value.forget(server, isToldAnew: isToldAnew) }
        }
    }

    /// Ends the channels of those for whom `test` holds, on all loops.
    func end(_ reason: String, where test: @escaping @Sendable (User) -> Bool) {
        for rooms in rooms.withLock({ $0 }) {
            rooms.loop.execute { rooms.value.end(reason, where: test) }
        }
    }

    func pass(on deliveries: [RoomMessage], from loop: EventLoop) {
        for rooms in rooms.withLock({ $0 }) where rooms.loop !== loop {
            rooms.loop.execute { rooms.value.receive(deliveries) }
        }
        bus.withLock { $0 }?(deliveries)
    }
}
