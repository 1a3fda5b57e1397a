/// Carries a value that belongs to one loop through `@Sendable` closures.
///
/// Reading the value anywhere but on that loop's thread is a programming error and traps.
package struct LoopBound<Value>: @unchecked Sendable {
    // Sendable because `value` lets only the loop's thread reach `storage`. If a class instance's deinit uses the loop,
    // the holder must make sure that the last reference is released on the loop as well.
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
