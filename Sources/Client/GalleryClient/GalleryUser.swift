public import Foundation

/// A row of the gallery's `users`.
public struct GalleryUser: Codable, Sendable, Hashable, Identifiable {
    public var id: UUID
    public var appleId: String
    public var email: String?
    public var name: String?
    public var avatarUrl: String?
    public var createdAt: Date?
    public var lastLogin: Date?

    public init(id: UUID = UUID(), appleId: String, email: String? = nil, name: String? = nil) {
        self.id = id
        self.appleId = appleId
        self.email = email
        self.name = name
    }
}

/// A row of the gallery's `images`.
public struct GalleryImage: Codable, Sendable, Hashable, Identifiable {
    public var id: Int
    public var userId: UUID?
    public var imageUrl: String
    public var photoDate: Date?
    public var createdAt: Date?

    public init(id: Int, imageUrl: String) {
        self.id = id
        self.imageUrl = imageUrl
    }
}

/// An image to be added.
public struct NewGalleryImage: Encodable, Sendable, Hashable {
    public var userId: UUID
    public var imageUrl: String
    public var photoDate: Date?

    public init(userId: UUID, imageUrl: String, photoDate: Date? = nil) {
        self.userId = userId
        self.imageUrl = imageUrl
        self.photoDate = photoDate
    }
}
