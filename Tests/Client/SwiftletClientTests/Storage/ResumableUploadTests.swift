import Foundation
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Uploads in pieces, against recorded answers.
@Suite struct ResumableUploadTests {
    private static let begun = RecordedTransport.Outcome.status(
        201,
        headers: ["Location": "https://x/upload/resumable/u1"]
    )

    private func upload(_ answers: [RecordedTransport.Outcome]) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "swiftlet-\(UUID().uuidString)")
        try Data("Hello".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = RecordedTransport(answers)
        do {
            try await StorageClient(Clients.make(transport)).from("own").uploadResumable("a", file: file)
        } catch {
            let methods = await transport.requests.compactMap(\.httpMethod)
            return methods + ["\((error as? APIError)?.refusal?.status ?? 0)"]
        }
        return await transport.requests.compactMap(\.httpMethod)
    }

    @Test func `goes on where the server is`() async throws {
        let asked = try await upload([
            Self.begun, .status(409), .status(200, headers: ["Upload-Offset": "2"]),
            .status(204, headers: ["Upload-Offset": "5"]),
        ])
        #expect(asked == ["POST", "PATCH", "HEAD", "PATCH"])
    }

    @Test func `a name that was taken meanwhile is told at once`() async throws {
        let asked = try await upload([Self.begun, .status(409), .status(200, headers: ["Upload-Offset": "0"])])
        #expect(asked == ["POST", "PATCH", "HEAD", "409"])
    }
}
