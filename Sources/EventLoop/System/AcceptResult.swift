/// The outcome of one attempt to accept a connection.
package enum AcceptResult: ~Copyable {
    case accepted(FileDescriptor, SocketAddress)
    case wouldBlock
    /// The connection broke while it was queued: try the next one.
    case aborted
    case failed(SystemError)
}
