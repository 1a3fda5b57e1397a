import SwiftletCLibpq
import Synchronization

/// Asks the server to cancel what one connection is running.
///
/// Keeps the address of a `PGcancel`, which libpq allows any thread to use; it is taken out once and freed.
@safe final class Canceller: Sendable {
    private let address: Mutex<UInt>

    init(adopting cancel: OpaquePointer) {
        address = Mutex(UInt(bitPattern: cancel))
    }

    deinit { free(take()) }

    /// Opens a connection of its own and waits for the server to close it: never call this on a loop.
    func cancelBlocking() {
        let address = take()
        guard let cancel = unsafe OpaquePointer(bitPattern: address) else { return }
        var message = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(cancel, &message, CInt(message.count))
        free(address)
    }

    private func take() -> UInt {
        address.withLock { address in
            defer { address = 0 }
            return address
        }
    }

    private func free(_ address: UInt) {
        guard let cancel = unsafe OpaquePointer(bitPattern: address) else { return }
        unsafe PQfreeCancel(cancel)
    }
}
