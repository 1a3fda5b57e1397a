/// Who is signed in.
public struct AuthUser: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    public var email: String?
    public var phone: String?
    public var appMetadata: AppMetadata?
    public var userMetadata: UserMetadata?

    public init(id: String, email: String? = nil) {
        self.id = id
        self.email = email
    }

    /// What the server says of the user, who cannot change it.
    public struct AppMetadata: Codable, Sendable, Hashable {
        public var tenantId: String?
        public var roleId: String?
        /// From 1 to 8.
        public var roleLevel: Int?
        public var teamId: String?
        public var accessScope: String?
        public var isPlatformUser: Bool?
        public var deviceId: String?

        public init() {}
    }

    /// What the user may change.
    public struct UserMetadata: Codable, Sendable, Hashable {
        public var firstName: String?
        public var lastName: String?
        public var avatarUrl: String?

        public init() {}
    }

    /// The name to show: first and last name, or what is known instead.
    public var displayName: String {
        let names = [userMetadata?.firstName, userMetadata?.lastName].compactMap(\.self).filter { !$0.isEmpty }
        return names.isEmpty ? email ?? id : names.joined(separator: " ")
    }
}

/// Whether somebody is signed in.
public enum SessionEvent: Sendable, Hashable {
    case signedIn(AuthUser)
    case signedOut
}
