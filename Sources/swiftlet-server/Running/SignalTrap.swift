import Dispatch
import Foundation
import Synchronization

/// Turns the process's signals into events.
///
/// SIGTERM and SIGINT ask once to stop in peace; a second one ends the process at once, and so does the first one while
/// the server is not up yet. SIGHUP asks to read files anew.
final class SignalTrap: Sendable {
    enum Event: Equatable, Sendable { case stop, reload }

    let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private let isServing = Mutex(false)

    private init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Once per process, before anything that a signal should end is started.
    static func install() -> SignalTrap {
        let trap = SignalTrap()
        // Peers that vanish are noticed by write's result.
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            // Dispatch hears of a signal only when it is ignored otherwise.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            // The handler holds its source, and so itself, for the life of the process.
            source.setEventHandler { withExtendedLifetime(source) { trap.received(number) } }
            source.resume()
        }
        return trap
    }

    /// From now on the first signal to stop is an event.
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
