import Foundation
public import GalleryClient
public import SwiftletClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A gallery without a server: users and images that are set from outside.
public actor MockGalleryServer {
    /// Rows of `users` and `images` as JSON arrays.
    public var users = "[]"
    public var images = "[]"

    public init(users: String = "[]", images: String = "[]") {
        self.users = users
        self.images = images
    }

    public nonisolated var gallery: GalleryClient { GalleryClient(client: client) }

    /// A client whose requests end here.
    public nonisolated var client: APIClient {
        APIClient(
            configuration: .init(baseURL: URL(fileURLWithPath: "/")),
            tokens: InMemoryTokenStore(),
            transport: RecordedTransport { request in await self.answer(request) }
        )
    }

    private func answer(_ request: URLRequest) -> RecordedTransport.Outcome {
        switch request.url?.lastPathComponent {
        case "users": .json(users)
        case "images": .json(images)
        default: .status(404)
        }
    }
}
