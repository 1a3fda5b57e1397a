import Foundation
import SwiftletServer

/// The photos of a team: the rows are a resource, the files lie in the storage.
let photos = Function("photos") {
    resource.routes(.list, .get)
    Post("/", upload).streamingBody(upTo: 20_000_000).taking(mediaType: "multipart/form-data")
    Get("/:id/file", file)
    Delete("/:id", remove)
}

private let resource = Resource("photos", scope: .tenant) {
    Search("title")
    Hidden("object_key")
    ReadOnly("content_type", "bytes")
}

/// Stores the first image of a form, then its row; without the row the file is deleted again.
private func upload(_ request: Request, _ context: Context) async throws -> Response {
    for try await file in try request.files() where file.contentType.matches("image/*") {
        let key = ObjectKey.unique(in: "photos", of: try context.tenant)
        let bytes = try await context.storage.put(file.chunks, at: key, contentType: file.contentType)
        do {
            let rows = try await context.database.query(
                """
                INSERT INTO photos (tenant_id, title, object_key, content_type, bytes)
                VALUES (
                    \(context.tenant), \(file.name?.text ?? "photo"), \(key.text), \(file.contentType.description), \(bytes)
                )
                RETURNING id::text AS id, title, bytes
                """
            )
            return .json(.created, .object(try rows[0].json()))
        } catch {
            try? await context.storage.delete(key)
            throw error
        }
    }
    throw APIError.validation(["file": "must be an image"])
}

private func file(_ request: Request, _ context: Context) async throws -> Response {
    guard let photo = try await row(context), let object = try await context.storage.get(photo.key) else {
        throw APIError.notFound
    }
    return .file(object, name: photo.name, version: context.parameters["id"], to: request)
}

private func remove(_ request: Request, _ context: Context) async throws -> Response {
    guard let photo = try await row(context) else { return .success }
    let id = context.parameters["id"]
    _ = try await resource.delete(id, in: context)
    try await context.storage.delete(photo.key)
    return .success
}

private func row(_ context: Context) async throws -> (key: ObjectKey, name: FileName)? {
    let id = try context.parameters.require("id", as: UUID.self).uuidString
    let rows = try await context.database.query(
        "SELECT object_key, title FROM photos WHERE tenant_id = \(context.tenant) AND id = \(id)::uuid"
    )
    guard let row = rows.first, let key = ObjectKey(try row.decode(String.self, "object_key")),
        let name = FileName(try row.decode(String.self, "title"))
    else { return nil }
    return (key, name)
}
