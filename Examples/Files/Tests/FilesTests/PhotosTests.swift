import SwiftletTesting
import Testing

@testable import Files

@Suite struct PhotosTests {
    @Test func `a photo is stored, read by its team alone, and gone with its row`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "ada")
            let eve = try TestBackend.token(tenant: "other", user: "eve")
            let form = """
                --b\r\nContent-Disposition: form-data; name="file"; filename="van.png"\r\n\
                Content-Type: image/png\r\n\r\nPIXELS\r\n--b--\r\n
                """
            let made = try await backend.send(
                .post,
                "/photos",
                token: ada,
                headers: [(.contentType, "multipart/form-data; boundary=b")],
                body: Array(form.utf8)
            )
            #expect(made.status == .created)
            let id = try #require(try made.jsonObject()["id"]?.string)

            #expect(try await backend.send(.get, "/photos/\(id)/file", token: ada).status == .ok)
            #expect(try await backend.send(.get, "/photos/\(id)/file", token: eve).status == .notFound)
            #expect(try await backend.send(.delete, "/photos/\(id)", token: ada).status == .ok)
            #expect(try await backend.send(.get, "/photos/\(id)/file", token: ada).status == .notFound)
        }
    }

    @Test func `what is no image is refused`() async throws {
        try await TestBackend.with(functions: Backend().functions) { backend in
            let ada = try TestBackend.token(tenant: "acme", user: "ada")
            let refused = try await backend.send(
                .post,
                "/photos",
                token: ada,
                headers: [(.contentType, "text/plain")],
                body: Array("words".utf8)
            )
            #expect(refused.status == .badRequest)
        }
    }
}
