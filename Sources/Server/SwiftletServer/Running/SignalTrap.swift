import Dispatch
import SwiftletEssentials
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
        signal(SIGHUP, SIG_IGN)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler retains its source for the life of the process.
            source.setEventHandler { withExtendedLifetime(source) { trap.received(number) } }
            // Dispatch registers some time after `resume`. A signal that was ignored until then
            // would be lost, so SIGTERM and SIGINT keep their default action, to end the process.
            // On Linux Dispatch installs handlers of its own.
            #if canImport(Darwin)
            source.setRegistrationHandler { signal(number, SIG_IGN) }
            #endif
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
