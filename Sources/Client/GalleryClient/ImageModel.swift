public import Foundation

/// A row of the gallery's `images`.
public struct ImageModel: Codable, Sendable, Hashable, Identifiable {
    public var id: Int
    public var userId: String?
    public var imageUrl: String
    /// When it was taken, or ``createdAt`` where nobody knows.
    public var photoDate: Date?
    public var createdAt: Date?

    public init(
        id: Int,
        userId: String? = nil,
        imageUrl: String,
        photoDate: Date? = nil,
        createdAt: Date? = nil
    ) {
        self.id = id
        self.userId = userId
        self.imageUrl = imageUrl
        self.photoDate = photoDate ?? createdAt
        self.createdAt = createdAt
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try row.decode(Int.self, forKey: .id),
            userId: try row.decodeIfPresent(String.self, forKey: .userId),
            imageUrl: try row.decode(String.self, forKey: .imageUrl),
            photoDate: try row.decodeIfPresent(Date.self, forKey: .photoDate),
            createdAt: try row.decodeIfPresent(Date.self, forKey: .createdAt)
        )
    }

    private enum CodingKeys: String, CodingKey { case id, userId, imageUrl, photoDate, createdAt }
}

/// An image to be added.
public struct NewImage: Encodable, Sendable, Hashable {
    public var userId: String
    public var imageUrl: String
    public var photoDate: Date?

    public init(userId: String, imageUrl: String, photoDate: Date? = nil) {
        self.userId = userId
        self.imageUrl = imageUrl
        self.photoDate = photoDate
    }
}
