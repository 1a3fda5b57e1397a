package import SwiftletJSON

/// One change as it is in the log.
package struct LoggedChange: Sendable {
    package enum Operation: Character, Sendable {
        case insert = "I"
        case update = "U"
        case delete = "D"
        case truncate = "T"
    }

    package let position: ChangePosition
    package let operation: Operation
    /// The OID of its table.
    package let relation: UInt32
    /// ISO 8601 in UTC with milliseconds.
    package let committedAt: String
    package let new: JSONObject?
    package let old: JSONObject?
    /// The old row is whole, not only its key.
    package let oldIsWhole: Bool
}
