import Dispatch
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletBlockingPool

@Suite(.hangLimit)
struct BlockingPoolTests {
    private struct Fault: Error {}

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    @Test func `returns what the work returns, and throws what it throws`() async throws {
        let offload = BlockingPool("test", width: 1)
        let seven = try await offload.run { 7 }
        #expect(seven == 7)
        await #expect(throws: Fault.self) { try await offload.run { throw Fault() } }
    }

    @Test func `refuses work when too much of it waits`() async throws {
        try await withBusyBlockingPool(depth: 1) { offload, release in
            let waiting = Task { try await offload.run { 1 } }
            while offload.permits.waitingCount < 1 { await Task.yield() }
            await #expect(throws: Overload.self) { try await offload.run { 2 } }
            release()
            let value = try await waiting.value
            #expect(value == 1)
        }
    }

    @Test func `owners take turns, and one of them fills no queue`() async throws {
        let permits = BlockingPool.Permits(width: 1, depth: 32)
        func piece(_ owner: String) -> BlockingPool.Piece { BlockingPool.Piece(id: nil, owner: owner) {} }
        #expect(permits.take(piece("a")) == .start)
        for _ in 0..<4 { #expect(permits.take(piece("a")) == .wait) }
        #expect(permits.take(piece("a")) == .refuse)
        for owner in ["b", "b", "c"] { #expect(permits.take(piece(owner)) == .wait) }
        var order: [String] = []
        var done = piece("a")
        while let next = permits.finish(done) {
            order.append(next.owner ?? "")
            done = next
        }
        #expect(order == ["b", "a", "b", "a", "c", "a", "a"])
    }

    @Test func `work whose task is cancelled gives up its place and never runs`() async throws {
        let hasRun = Flag()
        try await withBusyBlockingPool(depth: 1) { offload, release in
            let gone = Task { try await offload.run { hasRun.isSet.store(true, ordering: .relaxed) } }
            while offload.permits.waitingCount < 1 { await Task.yield() }
            gone.cancel()
            await #expect(throws: CancellationError.self) { try await gone.value }
            let next = Task { try await offload.run { 1 } }
            while offload.permits.waitingCount < 1 { await Task.yield() }
            release()
            let value = try await next.value
            #expect(value == 1)
        }
        let ran = hasRun.isSet.load(ordering: .relaxed)
        #expect(!ran)
    }

    @Test func `a cancelled task does not wait for work that runs`() async throws {
        let offload = BlockingPool("test", width: 1)
        let (running, release) = await block(offload)
        running.cancel()
        let outcome = await running.result
        #expect(throws: CancellationError.self) { try outcome.get() }
        release()
    }

    @Test func `work to be finished waits however much does, and is waited for by a cancelled task`() async throws {
        try await withBusyBlockingPool(depth: 0) { offload, release in
            let cancelled = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await offload.finish { 3 }
            }
            while offload.permits.waitingCount < 1 { await Task.yield() }
            release()
            let value = try await cancelled.value
            #expect(value == 3)
        }
    }

    /// Occupies a thread of the offload until `release` is called.
    private func block(_ offload: BlockingPool) async -> (Task<Void, any Error>, release: @Sendable () -> Void) {
        let gate = DispatchSemaphore(value: 0)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await offload.run {
                start.finish()
                gate.wait()
            }
        }
        for await _ in started {}
        return (task, { gate.signal() })
    }

    /// Runs the body with an offload whose only thread is blocked until `release` is called, or the body ends.
    private func withBusyBlockingPool(
        depth: Int,
        _ body: (BlockingPool, _ release: @Sendable () -> Void) async throws -> Void
    ) async throws {
        let offload = BlockingPool("test", width: 1, depth: depth)
        let (blocking, release) = await block(offload)
        do {
            try await body(offload, release)
        } catch {
            release()
            throw error
        }
        release()
        try await blocking.value
    }
}
