/// The kernel interface that reports readiness to the loop.
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
