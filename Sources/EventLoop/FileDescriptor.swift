/// An open file descriptor. It has one owner and closes when the owner lets go of it.
///
/// Take it off its loop first: the loop does not watch for descriptors that close under it.
package struct FileDescriptor: ~Copyable {
    package let number: CInt

    package init(adopting number: CInt) {
        precondition(number >= 0, "a descriptor is not negative")
        self.number = number
    }

    deinit {
        SystemCall.close(number)
    }
}
