extension Route {
    /// Who may call a route.
    public struct Access: Hashable, Sendable {
        private let callers: Callers

        private enum Callers: Hashable {
            case everyone
            case byHandler
            case anyKey
            case person
            case user
            case level(Int)
        }

        /// Everyone; no token is checked.
        public static let everyone = Access(callers: .everyone)

        /// Everyone reaches the handler, which checks the caller itself, with errors of its own.
        public static let byHandler = Access(callers: .byHandler)

        /// Whoever has a key or a token that is valid, the anonymous key among them. There may be no person and no tenant
        /// behind it.
        public static let anyKey = Access(callers: .anyKey)

        /// A verified user, in a tenant or not.
        public static let person = Access(callers: .person)

        /// A verified user with a tenant.
        public static let user = Access(callers: .user)

        /// As ``user``, with at least this role level (1…8).
        public static func level(_ level: Int) -> Access { Access(callers: .level(level)) }

        /// Whether callers need a valid key or token before the handler runs.
        package var needsToken: Bool {
            switch callers {
            case .everyone, .byHandler: false
            case .anyKey, .person, .user, .level: true
            }
        }

        /// Whether the caller has to be a person.
        var needsPerson: Bool {
            switch callers {
            case .everyone, .byHandler, .anyKey: false
            case .person, .user, .level: true
            }
        }

        /// Whether the person has to work in a tenant.
        package var needsTenant: Bool { needsPerson && callers != .person }

        /// The role level that the caller needs; nil if any will do.
        package var minimumLevel: Int? {
            if case .level(let level) = callers { level } else { nil }
        }
    }
}

extension Route.Access: CustomStringConvertible {
    /// `user`, `person`, `everyone`, `handler`, `any key` or `level 4`.
    public var description: String {
        switch callers {
        case .everyone: "everyone"
        case .byHandler: "handler"
        case .anyKey: "any key"
        case .person: "person"
        case .user: "user"
        case .level(let level): "level \(level)"
        }
    }
}
