/// Carries a value that belongs to one loop through `@Sendable` closures.
///
/// Reading the value anywhere but on that loop's thread is a programming error and traps.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable because only the loop's own thread can get at `storage`: `value` checks. The holder must see to it
    // that the last reference to a class instance is given up on the loop as well, if its deinit touches the loop.
    @usableFromInline let storage: Value
    package let loop: EventLoop

    @inlinable
    package init(_ value: Value, on loop: EventLoop) {
        self.storage = value
        self.loop = loop
    }

    @inlinable
    package var value: Value {
        precondition(loop.isCurrent, "a value bound to a loop was read on another thread")
        return storage
    }
}
