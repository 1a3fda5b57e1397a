import Dispatch
import Foundation
import Synchronization

/// Turns the process's signals into events.
///
/// The first SIGTERM or SIGINT asks for a graceful shutdown; the second one ends the process at once, and so does the
/// first one before ``serve()``. SIGHUP asks for a reload.
final class SignalTrap: Sendable {
    enum Event: Equatable, Sendable { case stop, reload }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let isServing = Mutex(false)

    private init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Call it once per process, before starting anything that a signal should stop.
    static func install() -> SignalTrap {
        let trap = SignalTrap()
        // A closed socket is reported by write().
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            // Dispatch only sees signals whose default action is disabled.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler retains its source for the life of the process.
            source.setEventHandler { withExtendedLifetime(source) { trap.received(number) } }
            source.resume()
        }
        return trap
    }

    /// From now on, the first signal to stop is an event.
    func serve() { isServing.withLock { $0 = true } }

    private func received(_ number: CInt) {
        if number == SIGHUP {
            continuation.yield(.reload)
            return
        }
        let isFirst = isServing.withLock { isServing in
            defer { isServing = false }
            return isServing
        }
        guard isFirst else { _exit(128 + number) }
        continuation.yield(.stop)
    }
}
