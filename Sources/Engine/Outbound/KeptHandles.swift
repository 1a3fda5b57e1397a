import SwiftletCCurl
import Synchronization

/// Easy handles between their requests. Each keeps its connections open, so that the next request to a host needs no
/// new one.
package final class KeptHandles: Sendable {
    /// Addresses, as pointers are not Sendable. Whoever has taken one is its only owner.
    private let handles = Mutex<[UInt]>([])
    private let limit: Int

    package init(limit: Int = 16) { self.limit = limit }

    deinit {
        for handle in handles.withLock({ $0 }) {
            unsafe curl_easy_cleanup(UnsafeMutableRawPointer(bitPattern: handle))
        }
    }

    func take() -> UnsafeMutableRawPointer? {
        guard let address = handles.withLock({ $0.popLast() }) else { return nil }
        return unsafe UnsafeMutableRawPointer(bitPattern: address)
    }

    /// Forgets the handle's options, and frees it if there are enough.
    func keep(_ handle: UnsafeMutableRawPointer) {
        unsafe curl_easy_reset(handle)
        let address = UInt(bitPattern: handle)
        let isKept = handles.withLock { handles in
            guard handles.count < limit else { return false }
            handles.append(address)
            return true
        }
        if !isKept { unsafe curl_easy_cleanup(handle) }
    }
}
