/// An open file descriptor. It has one owner and closes when the owner lets go of it.
///
/// Take it off its loop first: the loop does not watch for descriptors that close under it.
package struct FileDescriptor: ~Copyable {
    /// -1 when it was closed before its end: system calls then fail with `EBADF` and hit nobody else's descriptor.
    package private(set) var number: CInt

    package init(adopting number: CInt) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    deinit {
        if number >= 0 { SystemCall.close(number) }
    }

    package mutating func close() {
        guard number >= 0 else { return }
        SystemCall.close(number)
        number = -1
    }
}
