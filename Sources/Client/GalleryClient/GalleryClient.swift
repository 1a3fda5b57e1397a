import Foundation
public import SwiftletClient

/// The image gallery, over the tables that `/rest/v1` serves: a pattern for apps that talk to tables.
///
/// It asks with the app's key, and as the user if one is signed in.
public struct GalleryClient: Sendable {
    private let client: APIClient

    public init(client: APIClient) { self.client = client }

    /// nil if nobody has signed up with that id.
    public func fetchUserByAppleId(_ appleId: String) async throws -> UserModel? {
        let query = [URLQueryItem(name: "apple_id", value: "eq.\(appleId)"), URLQueryItem(name: "limit", value: "1")]
        return try await client.requestArray(await asked(.get, "users", query), of: UserModel.self).first
    }

    /// Adds the user, or changes the one with the same Apple id. What is nil stays as it is.
    @discardableResult
    public func upsertUser(_ user: UserModel) async throws -> UserModel {
        var endpoint = try await asked(.post, "users", [URLQueryItem(name: "on_conflict", value: "apple_id")])
        endpoint.body = .json(user)
        endpoint.headers["Prefer"] = "resolution=merge-duplicates,return=representation"
        endpoint.repetition = .safe
        return try await one(endpoint)
    }

    /// The newest photos first, of everybody or of one user.
    public func fetchImages(of user: String? = nil, page: Int = 1, limit: Int = 25) async throws -> Page<ImageModel> {
        var query = Query()
        query.add("user_id", user.map { "eq.\($0)" })
        query.add("order", "photo_date.desc.nullslast,id.desc")
        query.add("limit", limit)
        query.add("offset", (max(page, 1) - 1) * limit)
        var endpoint = try await asked(.get, "images", query.items)
        endpoint.headers["Prefer"] = "count=exact"
        let answer = try await client.answer(endpoint)
        let rows = try APIClient.decode([ImageModel].self, from: answer.checked())
        // `Content-Range: 25-49/120`
        let range = answer.header("Content-Range")
        let total = range?.split(separator: "/").last.flatMap { Int($0) }
        return Page(
            data: rows,
            total: total,
            page: page,
            limit: limit,
            hasMore: total.map { (max(page, 1) - 1) * limit + rows.count < $0 }
        )
    }

    @discardableResult
    public func addImage(_ image: NewImage) async throws -> ImageModel {
        var endpoint = try await asked(.post, "images", [])
        endpoint.body = .json(image)
        endpoint.headers["Prefer"] = "return=representation"
        return try await one(endpoint)
    }

    public func deleteImage(_ id: Int) async throws {
        var endpoint = try await asked(.delete, "images", [URLQueryItem(name: "id", value: "eq.\(id)")])
        endpoint.repetition = .safe
        try await client.requestVoid(endpoint)
    }

    private func asked(
        _ method: APIEndpoint.Method,
        _ table: String,
        _ query: [URLQueryItem]
    ) async throws -> APIEndpoint {
        let isSignedIn = try await client.keeper.current() != nil
        return APIEndpoint(method, "/rest/v1/\(table)", query: query, requiresAuth: isSignedIn)
    }

    private func one<Row: Decodable & Sendable>(_ endpoint: APIEndpoint) async throws -> Row {
        guard let row = try await client.requestArray(endpoint, of: Row.self).first else { throw APIError.notFound }
        return row
    }
}
