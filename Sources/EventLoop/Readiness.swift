/// What the kernel says a descriptor is ready for. Level-triggered: it is said again until it is no longer true.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// Both directions are gone. A peer that has merely finished sending shows as `read` with no bytes behind it.
    package static let hangup = Readiness(rawValue: 4)
    package static let error = Readiness(rawValue: 8)
    /// Nothing can be sent any more.
    package static let broken = Readiness(rawValue: 12)
}
