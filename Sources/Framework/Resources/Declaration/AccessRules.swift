import SwiftletAuth
import SwiftletWeb

/// Callers below `level` only reach rows whose `column` is their own id.
struct OwnRowsRule: Sendable {
    let level: Int
    let column: String

    func binds(_ user: User) -> Bool {
        user.roleLevel < level
    }
}

/// Only rows whose `column` holds one of `words` belong to the resource.
struct OnlyRule: Sendable {
    let column: String
    let words: [String]
}
