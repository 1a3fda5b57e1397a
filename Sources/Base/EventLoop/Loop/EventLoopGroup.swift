/// The event loops of a process, usually one per core.
package final class EventLoopGroup: Sendable {
    package let loops: [EventLoop]

    private init(loops: [EventLoop]) {
        self.loops = loops
    }

    /// Starts `count` loops, at least one; when one fails to start, the others are stopped.
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

    /// Ends every loop's thread. Not to be called on one of the loops.
    package func stop() {
        for loop in loops { loop.stop() }
    }
}
