/// The loops of a process, one per core that it may use.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]

    private init(loops: [EventLoop]) {
        self.loops = loops
    }

    /// Starts that many loops, at least one; none is left running when one of them fails.
    package static func start(
        count: Int,
        poller: PollerKind = .default
    ) throws(SystemError) -> EventLoopGroup {
        var loops: [EventLoop] = []
        for index in 0..<max(1, count) {
            do throws(SystemError) {
                loops.append(try EventLoop.start(index: index, poller: poller))
            } catch {
                for loop in loops { loop.stop() }
                throw error
            }
        }
        return EventLoopGroup(loops: loops)
    }

    /// Ends every loop's thread. Call it from a thread that is none of them.
    package func stop() {
        for loop in loops { loop.stop() }
    }
}
