#if os(Linux)
import SwiftletCLinux
import Glibc

/// One epoll instance: a descriptor is registered once, level-triggered, and modified only when its interest changes.
@safe final class EpollPoller: Poller {
    private static let capacity = 256
    /// No registration has this token, because generations start at 1.
    private static let wakeToken: UInt64 = 0

    private let epoll: FileDescriptor
    private let wakeup: FileDescriptor
    private let buffer: UnsafeMutableBufferPointer<epoll_event>

    init() throws(SystemError) {
        let epoll = try SystemCall.makeEpoll()
        let wakeup = try SystemCall.makeEventCounter()
        // Edge-triggered, so that the counter need not be read: every write is an event.
        try SystemCall.epollControl(
            epoll,
            EPOLL_CTL_ADD,
            wakeup.number,
            EPOLLIN.rawValue | EPOLLET.rawValue,
            Self.wakeToken
        )
        self.epoll = epoll
        self.wakeup = wakeup
        unsafe buffer = .allocate(capacity: Self.capacity)
        unsafe buffer.initialize(repeating: epoll_event())
    }

    deinit {
        unsafe buffer.deallocate()
    }

    func add(_ descriptor: CInt, _ interest: Interest, token: UInt64) throws(SystemError) {
        try SystemCall.epollControl(epoll, EPOLL_CTL_ADD, descriptor, Self.flags(interest), token)
    }

    func update(_ descriptor: CInt, _ interest: Interest, token: UInt64) {
        do throws(SystemError) {
            try SystemCall.epollControl(epoll, EPOLL_CTL_MOD, descriptor, Self.flags(interest), token)
        } catch {
            preconditionFailure("a registered descriptor was closed before it was deregistered: \(error)")
        }
    }

    func remove(_ descriptor: CInt, token: UInt64) {
        // Fails only for a descriptor that is already closed, which the kernel has removed by itself.
        try? SystemCall.epollControl(epoll, EPOLL_CTL_DEL, descriptor, 0, token)
    }

    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool {
        var wasWoken = false
        let count = unsafe SystemCall.epollWait(epoll, buffer, milliseconds: Self.milliseconds(timeout))
        for index in 0..<count {
            let event = unsafe buffer[index]
            let token = unsafe event.data.u64
            let flags = unsafe event.events
            if token == Self.wakeToken {
                wasWoken = true
            } else {
                events.append(PollEvent(token: token, readiness: Self.readiness(flags)))
            }
        }
        return wasWoken
    }

    func wake() {
        SystemCall.addToEventCounter(wakeup)
    }

    private static func flags(_ interest: Interest) -> UInt32 {
        var flags: UInt32 = 0
        if interest.contains(.read) { flags |= EPOLLIN.rawValue }
        if interest.contains(.write) { flags |= EPOLLOUT.rawValue }
        return flags
    }

    private static func readiness(_ flags: UInt32) -> Readiness {
        var readiness: Readiness = []
        if flags & EPOLLIN.rawValue != 0 { readiness.insert(.read) }
        if flags & EPOLLOUT.rawValue != 0 { readiness.insert(.write) }
        if flags & EPOLLHUP.rawValue != 0 { readiness.insert(.hangup) }
        if flags & EPOLLERR.rawValue != 0 { readiness.insert(.error) }
        return readiness
    }

    /// Rounds up: a timer may be late by less than a millisecond, but the loop does not spin until it is due.
    private static func milliseconds(_ timeout: PollTimeout) -> CInt {
        switch timeout {
        case .none: 0
        case .forever: -1
        case .nanoseconds(let nanoseconds):
            nanoseconds <= 0 ? 0 : CInt(clamping: (nanoseconds - 1) / 1_000_000 + 1)
        }
    }
}
#endif
