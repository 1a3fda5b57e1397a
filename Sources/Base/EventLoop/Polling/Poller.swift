/// A descriptor that became ready. The token identifies the registration, see ``RegistrationTable``.
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
    /// Appends what is ready; true when `wake` was called since the last wait.
    func wait(_ timeout: PollTimeout, into events: inout [PollEvent]) -> Bool
    /// Makes the current or the next `wait` return. May be called from any thread.
    func wake()
}
