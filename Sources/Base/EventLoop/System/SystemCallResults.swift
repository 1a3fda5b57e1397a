/// The outcome of one attempt to read or write.
package enum TransferResult: Equatable, Sendable {
    case bytes(Int)
    /// The peer has finished sending (reads only).
    case endOfStream
    case wouldBlock
    case failed(SystemError)
}

/// The outcome of one attempt to accept a connection.
package enum AcceptResult: ~Copyable {
    case accepted(FileDescriptor, SocketAddress)
    case wouldBlock
    /// The connection broke while it was queued: try the next one.
    case aborted
    case failed(SystemError)
}
