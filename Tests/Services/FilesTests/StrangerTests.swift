import SwiftletTesting
import SwiftletWeb
import Testing

/// A new endpoint that asks for no token has to be named here.
@Suite(.needsDatabase, .hangLimit)
struct StrangerTests {
    /// What is public, or what a link opens: without either there is nothing. The status in the body says which.
    private static let objects = [
        "GET /v1/object/:bucket/* 400", "GET /v1/object/info/:bucket/* 400", "GET /v1/object/info/public/:bucket/* 400",
        "GET /v1/object/public/:bucket/* 400", "GET /v1/object/sign/:bucket/* 400",
        "GET /v1/render/image/authenticated/:bucket/* 400", "GET /v1/render/image/public/:bucket/* 400",
        "GET /v1/render/image/sign/:bucket/* 400", "PUT /v1/object/upload/sign/:bucket/* 400",
    ]

    /// They say what everybody may know.
    private static let information = [
        "GET /v1/health 200", "GET /v1/status 200", "GET /v1/statusz 200", "GET /v1/version 200",
        "OPTIONS /v1/upload/resumable 204",
        "OPTIONS /v1/upload/resumable/:upload 204", "OPTIONS /v1/upload/resumable/sign 204",
        "OPTIONS /v1/upload/resumable/sign/:upload 204",
    ]

    @Test func `strangers find what is public, and nothing else`() async throws {
        try await FilesServer.with { files in
            let answers = try await files.application.answersToStrangers(headers: [("Tus-Resumable", "1.0.0")]) {
                $0.text.contains("must have required property 'authorization'")
                    || $0.text.contains("Missing x-signature header")
            }
            #expect(answers == (Self.objects + Self.information).sorted())
        }
    }
}
