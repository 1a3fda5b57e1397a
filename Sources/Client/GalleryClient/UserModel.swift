public import Foundation

/// A row of the gallery's `users`.
public struct UserModel: Codable, Sendable, Hashable, Identifiable {
    /// A UUID.
    public var id: String
    public var appleId: String
    public var email: String?
    public var name: String?
    public var avatarUrl: String?
    public var createdAt: Date?
    public var lastLogin: Date?

    public init(
        id: String = UUID().uuidString.lowercased(),
        appleId: String,
        email: String? = nil,
        name: String? = nil,
        avatarUrl: String? = nil
    ) {
        self.id = id
        self.appleId = appleId
        self.email = email
        self.name = name
        self.avatarUrl = avatarUrl
    }
}
