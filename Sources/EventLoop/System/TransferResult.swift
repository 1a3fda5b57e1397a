/// The outcome of one attempt to read or write.
package enum TransferResult: Equatable, Sendable {
    case bytes(Int)
    /// The peer has finished sending (reads only).
    case endOfStream
    case wouldBlock
    case failed(SystemError)
}
