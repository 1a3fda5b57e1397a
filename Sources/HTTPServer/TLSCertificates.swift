import EventLoop
import Synchronization

/// The certificate in use, which can be replaced while the server runs.
final class TLSCertificates: Sendable {
    private let configuration: TLSConfiguration
    // The lock is taken once per connection, for a thousandth of the time of the handshake that follows.
    private let context: Mutex<TLSContext>

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.configuration = configuration
        context = Mutex(try TLSContext.load(configuration))
    }

    /// Reads the files again. On an error the old certificate stays in use; established connections keep theirs anyway.
    func reload() throws(TLSError) {
        try context.withLock { context throws(TLSError) in
            context = try TLSContext.load(configuration)
        }
    }

    func makeSession(over descriptor: borrowing FileDescriptor) -> TLSSession? {
        context.withLock { $0.makeSession(over: descriptor) }
    }
}
