import SwiftletEventLoop
import Synchronization

/// The certificate in use, which can be replaced while the server runs.
final class TLSCertificates: Sendable {
    private let configuration: TLSConfiguration
    private let current: Mutex<LoadedFiles>

    /// What the files held when they were read.
    private final class LoadedFiles: Sendable {
        // The lock is taken once per connection, for a thousandth of the time of the handshake that follows.
        private let context: Mutex<TLSContext>

        init(_ configuration: TLSConfiguration) throws(TLSError) {
            context = Mutex(try TLSContext.load(configuration))
        }

        func makeSession(over descriptor: borrowing FileDescriptor) -> TLSSession? {
            context.withLock { $0.makeSession(over: descriptor) }
        }
    }

    init(_ configuration: TLSConfiguration) throws(TLSError) {
        self.configuration = configuration
        current = Mutex(try LoadedFiles(configuration))
    }

    /// Reads the files again, and blocks as long as they do. On an error the old certificate stays in use; established
    /// connections keep theirs anyway.
    func reload() throws(TLSError) {
        // Not under the lock, for which the loops would wait as well.
        let fresh = try LoadedFiles(configuration)
        current.withLock { $0 = fresh }
    }

    func makeSession(over descriptor: borrowing FileDescriptor) -> TLSSession? {
        current.withLock(\.self).makeSession(over: descriptor)
    }
}
