package import SwiftletBytes
import Synchronization

/// Keys of rows in the order in which they are made, also within one millisecond.
///
/// The bits behind the time count up while the millisecond stays the same (RFC 9562 §6.2, method 1). Rows that one
/// transaction makes carry the same time: lists that end their order with the key then show them as they were made.
package final class KeySequence: Sendable {
    /// Of all rows that this process makes.
    package static let rows = KeySequence()

    /// A clock that was set back further than this is believed.
    private static let tolerance = 10_000

    private struct State {
        var milliseconds = 0
        var count: UInt64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The next key. It is ahead of the clock for a moment if the clock was set back a little, or if a millisecond is used
    /// up.
    package func next(millisecondsSince1970 now: Int) -> UUIDv7 {
        let random = RandomBytes.identifier()
        let (milliseconds, count) = state.withLock { state in
            if now > state.milliseconds || now < state.milliseconds - Self.tolerance {
                // Half of the numbers are left for those that follow.
                state = State(milliseconds: now, count: random.0 & 0x7FF)
            } else if state.count < 0xFFF {
                state.count += 1
            } else {
                state = State(milliseconds: state.milliseconds &+ 1, count: random.0 & 0x7FF)
            }
            return (state.milliseconds, state.count)
        }
        return UUIDv7(millisecondsSince1970: milliseconds, random: (count, random.1))
    }
}
