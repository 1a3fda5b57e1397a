/// Who has entered.
package struct Operator: Sendable {
    package enum Role: String, Sendable, Comparable, CaseIterable {
        /// Reads, with secrets masked.
        case viewer
        /// Changes rows, jobs and users.
        case editor
        /// Also writes SQL, acts as users, and decides who enters.
        case owner

        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .viewer: 0
            case .editor: 1
            case .owner: 2
            }
        }
    }

    let session: Int
    let name: String
    let role: Role
}
