/// What a descriptor is ready for. Level-triggered: reported again for as long as it is true.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let read = Readiness(rawValue: 1)
    package static let write = Readiness(rawValue: 2)
    /// Both directions are closed. A peer that has only finished sending shows as `read` followed by an end of stream.
    package static let hangup = Readiness(rawValue: 4)
    package static let error = Readiness(rawValue: 8)
    /// Nothing can be sent any more.
    package static let broken: Readiness = [.hangup, .error]
}

/// Receives the readiness of a registered descriptor, on the loop's thread.
package protocol ReadinessHandler: AnyObject {
    func ready(_ readiness: Readiness)
}
