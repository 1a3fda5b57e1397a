import SwiftletEventLoop
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopTimerTests {
    @Test(arguments: PollerKind.allCases)
    func `fire in order of deadline, then of scheduling`(poller: PollerKind) async throws {
        let order = try await collect(from: poller, 4) { loop, note in
            for (name, delay) in [("c", 20), ("a", 5), ("d", 20), ("b", 10)] {
                _ = loop.schedule(after: .milliseconds(delay)) { note(name) }
            }
        }
        #expect(order == ["a", "b", "c", "d"])
    }

    @Test(arguments: PollerKind.allCases)
    func `never fire early`(poller: PollerKind) async throws {
        let late = try await collect(from: poller, 4) { loop, note in
            for delay in [1, 3, 7, 20] {
                let start = loop.now
                _ = loop.schedule(after: .milliseconds(delay)) {
                    note("\(loop.now - start >= .milliseconds(delay))")
                }
            }
        }
        #expect(late == ["true", "true", "true", "true"])
    }

    @Test
    func `a cancelled timer does not fire, and cancelling twice does no harm`() async throws {
        let order = try await collect(from: .default, 1) { loop, note in
            let timer = loop.schedule(after: .milliseconds(5)) { note("cancelled") }
            _ = loop.schedule(after: .milliseconds(10)) { note("kept") }
            timer.cancel()
            timer.cancel()
        }
        #expect(order == ["kept"])
    }

    @Test
    func `a rescheduled timer fires once, at its new time, also after it has fired`() async throws {
        let order = try await collect(from: .default, 4) { loop, note in
            let timer = loop.schedule(after: .milliseconds(5)) { note("moved") }
            timer.reschedule(at: loop.now + .milliseconds(20))
            _ = loop.schedule(after: .milliseconds(10)) { note("before") }
            _ = loop.schedule(after: .milliseconds(30)) {
                note("between")
                timer.reschedule(at: loop.now)
            }
        }
        #expect(order == ["before", "moved", "between", "moved"])
    }

    @Test
    func `a timer that schedules itself without delay lets others run`() async throws {
        let order = try await collect(from: .default, 1) { loop, note in
            var rounds = 0
            func again() {
                rounds += 1
                _ = loop.schedule(after: .zero) { again() }
            }
            again()
            _ = loop.schedule(after: .milliseconds(10)) { note("\(rounds > 1)") }
        }
        #expect(order == ["true"])
    }

    /// Random scheduling, cancelling and moving against a sorted list.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `keep their order under random use`(seed: UInt64) async throws {
        let order = try await collect(from: .default, 1) { loop, note in
            var random = Random(state: seed)
            var expected: [(deadline: Int, number: Int)] = []
            var timers: [LoopTimer] = []
            var fired: [Int] = []
            let start = loop.now + .milliseconds(5)
            for number in 0..<500 {
                let offset = Int(random.next() % 20000)
                timers.append(loop.schedule(at: start + .microseconds(offset)) { fired.append(number) })
                expected.append((offset, number))
            }
            for number in 0..<500 {
                switch random.next() % 4 {
                case 0:
                    timers[number].cancel()
                    expected[number].deadline = -1
                case 1:
                    // Unique and later than all others, so that ties need no rule.
                    timers[number].reschedule(at: start + .microseconds(20000 + number))
                    expected[number].deadline = 20000 + number
                default: break
                }
            }
            let kept = expected.filter { $0.deadline >= 0 }
                .sorted { $0.deadline == $1.deadline ? $0.number < $1.number : $0.deadline < $1.deadline }
            _ = loop.schedule(after: .milliseconds(40)) { note("\(fired == kept.map(\.number))") }
        }
        #expect(order == ["true"])
    }
}

/// Runs the body on a new loop and returns its notes: so many, and the ones that follow within a moment.
private func collect(
    from poller: PollerKind,
    _ count: Int,
    _ body: @escaping @Sendable (EventLoop, @escaping (String) -> Void) -> Void
) async throws -> [String] {
    let loop = try EventLoop.start(index: 0, poller: poller)
    let notes = await withCheckedContinuation { continuation in
        loop.execute {
            var notes: [String] = []
            body(loop) { note in
                notes.append(note)
                guard notes.count == count else { return }
                _ = loop.schedule(after: .milliseconds(20)) { continuation.resume(returning: notes) }
            }
        }
    }
    loop.stop()
    return notes
}

private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
