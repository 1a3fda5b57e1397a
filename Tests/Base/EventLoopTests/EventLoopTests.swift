import SwiftletEventLoop
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EventLoopTests {
    @Test(arguments: PollerKind.allCases)
    func `runs work from other threads in order`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        let seen = Mutex<[Int]>([])
        for number in 0..<1000 {
            loop.execute { seen.withLock { $0.append(number) } }
        }
        loop.stop()
        #expect(seen.withLock { $0 } == Array(0..<1000))
    }

    @Test(arguments: PollerKind.allCases)
    func `lets go of work that comes after its end`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        loop.stop()
        weak var late: Counter?
        do {
            let counter = Counter()
            late = counter
            loop.execute { counter.add() }
        }
        #expect(late == nil)
    }

    @Test(arguments: PollerKind.allCases)
    func `is the current loop on its own thread and nowhere else`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 3, poller: poller)
        #expect(!loop.isCurrent)
        #expect(await loop.run { loop.isCurrent && EventLoop.current === loop })
        loop.stop()
    }

    @Test(arguments: PollerKind.allCases)
    func `keeps a task on its thread across suspensions`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        let task = Task(executorPreference: loop) {
            var stayed = loop.isCurrent
            for _ in 0..<100 {
                await Task.yield()
                stayed = stayed && loop.isCurrent
            }
            try? await Task.sleep(for: .milliseconds(1))
            return stayed && loop.isCurrent
        }
        #expect(await task.value)
        loop.stop()
    }

    @Test(arguments: PollerKind.allCases)
    func `loses no job that other threads enqueue`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        let counter = Counter()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<2000 {
                        loop.execute { counter.add() }
                        _ = await Task(executorPreference: loop) { counter.add() }.value
                    }
                }
            }
        }
        loop.stop()
        #expect(counter.value == 8 * 2000 * 2)
    }

    @Test func `runs every job of a crowd, in order, over several turns`() async throws {
        let loop = try EventLoop.start(index: 0)
        let numbers = await withCheckedContinuation { continuation in
            loop.execute {
                let crowd = LoopBound(Crowd(), on: loop)
                for number in 0..<5000 {
                    Task(executorPreference: loop) {
                        crowd.value.numbers.append(number)
                        if number == 4999 { continuation.resume(returning: crowd.value.numbers) }
                    }
                }
            }
        }
        #expect(numbers == Array(0..<5000))
        loop.stop()
    }

    @Test(arguments: PollerKind.allCases)
    func `tells an observer once, after the jobs of its turn`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        let events = await withCheckedContinuation { continuation in
            loop.execute {
                let observer = Observer { continuation.resume(returning: $0) }
                loop.afterTurn(observer)
                observer.events.append("first")
                let bound = LoopBound(observer, on: loop)
                Task(executorPreference: loop) {
                    bound.value.events.append("task")
                    loop.execute { bound.value.events.append("closure") }
                }
            }
        }
        #expect(events == ["first", "task", "closure", "turn ended"])
        loop.stop()
    }

    @Test(arguments: PollerKind.allCases)
    func `a task that never rests does not hold up timers`(poller: PollerKind) async throws {
        let loop = try EventLoop.start(index: 0, poller: poller)
        let isOver = Counter()
        Task(executorPreference: loop) {
            while isOver.value == 0 { await Task.yield() }
        }
        await withCheckedContinuation { continuation in
            loop.execute {
                _ = loop.schedule(after: .milliseconds(20)) { continuation.resume() }
            }
        }
        isOver.add()
        loop.stop()
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add() {
        count.add(1, ordering: .relaxed)
    }
}

private final class Crowd {
    var numbers: [Int] = []
}

private final class Observer: TurnObserver {
    var events: [String] = []
    private let report: ([String]) -> Void

    init(report: @escaping ([String]) -> Void) {
        self.report = report
    }

    func turnEnded() {
        events.append("turn ended")
        report(events)
    }
}
