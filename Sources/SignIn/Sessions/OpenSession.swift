internal import JSON

/// A session that somebody may act in, with the refresh token to hand out.
struct OpenSession: Sendable {
    let id: String
    let account: Account
    let refreshToken: String
    /// How sure we are of the person: `aal1`, or more after a second factor.
    let assurance: String
    /// Newest first.
    let methods: [Method]

    /// How the person proved who they are, and when.
    struct Method: Hashable, Sendable {
        let name: String
        let seconds: Int
    }
}
