/// An open file descriptor with a single owner, closed at the end of its lifetime.
///
/// Deregister it from its loop first: the loop does not notice when a descriptor is closed.
package struct FileDescriptor: ~Copyable {
    /// -1 once closed, so that system calls fail with `EBADF` and cannot hit another descriptor of the same number.
    package private(set) var number: CInt

    package init(adopting number: CInt) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    deinit {
        if number >= 0 { SystemCall.close(number) }
    }

    /// Gives the descriptor away, which the caller closes.
    package consuming func release() -> CInt {
        let number = number
        self.number = -1
        return number
    }

    package mutating func close() {
        guard number >= 0 else { return }
        SystemCall.close(number)
        number = -1
    }
}
