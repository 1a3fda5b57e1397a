/// Which kernel interface tells the loop what is ready.
package enum PollerKind: String, CaseIterable, Sendable {
    #if os(Linux)
    case epoll
    #endif
    case dispatch

    package static var `default`: PollerKind {
        #if os(Linux)
        .epoll
        #else
        .dispatch
        #endif
    }

    func makePoller() throws(SystemError) -> any Poller {
        switch self {
        #if os(Linux)
        case .epoll: try EpollPoller()
        #endif
        case .dispatch: DispatchPoller()
        }
    }
}

/// Something that became ready. The token says for whom, and which incarnation of the registration was meant.
struct PollEvent {
    let token: UInt64
    let readiness: Readiness
}

/// How long to wait when nothing is ready.
enum PollTimeout: Equatable {
    case none
    case nanoseconds(Int64)
    case forever
}

/// Watches descriptors, level-triggered. Everything but `wake` is called on the loop's thread.
protocol Poller: AnyObject {
    func add(_ descriptor: CInt, _ interest: Interest, token: UInt64) throws(SystemError)
    func update(_ descriptor: CInt, _ interest: Interest, token: UInt64)
    /// When this returns, the caller may close the descriptor.
    func remove(_ descriptor: CInt, token: UInt64)
    /// Appends what is ready, and says whether `wake` was called since the last time.
    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool
    /// Makes the current or the next `wait` return. From any thread.
    func wake()
}
