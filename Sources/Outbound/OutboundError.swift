/// Why a request to another server brought no answer. Its text names no address, password or body: it may be logged.
package struct OutboundError: Error, Hashable {
    package let reason: String
    /// Worth trying again later: the other side was away, slow, or told us to wait.
    package let isTemporary: Bool

    package init(_ reason: String, isTemporary: Bool) {
        self.reason = reason
        self.isTemporary = isTemporary
    }
}

extension OutboundError: CustomStringConvertible {
    package var description: String { reason }
}
