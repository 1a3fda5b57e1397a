package import SwiftletAuth
import SwiftletJSON

/// Who gets changes: a role and the claims that policies read.
package struct ChangeCaller: Hashable, Sendable {
    package let role: String
    /// The token's claims as JSON.
    let claims: [UInt8]
    /// The claims that do not differ from one token to the next of the same session: callers with the same key see the
    /// same rows.
    private let key: String

    package init(_ user: User) {
        role = user.role
        claims = user.payload
        var members = user.claims.object?.filter { !Self.passing.contains($0.name) } ?? []
        members.sort { $0.name < $1.name }
        key = "\(user.role) \(members.map { "\($0.name)=\($0.value)" }.joined(separator: " "))"
    }

    /// The same on every server for callers that see the same rows.
    var fingerprint: String { Fingerprint.of(key) }

    private static let passing: Set<String> = ["iat", "exp", "nbf", "jti"]

    package static func == (left: ChangeCaller, right: ChangeCaller) -> Bool { left.key == right.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
