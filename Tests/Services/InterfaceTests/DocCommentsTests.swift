import Foundation
import SwiftletInterface
import Testing

@Suite struct DocCommentsTests {
    @Test func `a route's comment is its own, else that of its handler`() {
        let comments = DocComments(sources: [
            """
            /// The notes of a team.
            public let notes = Function("notes") {
                resource.routes()
                Get("/stats", statistics).answering(shape)
                Post("/:id/archive", archive)
                /// Makes one of a mail.
                Post(receive)
                Delete("/:id/photo", elsewhere)
                Patch("/:id", hidden)
            }

            /// Archives a note; of one that is, it changes nothing.
            ///
            /// It is ``Note`` no more.
            private func archive(_ request: Request, _ context: Context) async throws -> Response {}

            private func statistics(_ request: Request, _ context: Context) async throws -> Response {}

            /// Not about the route.
            private func receive(_ request: Request, _ context: Context) async throws -> Response {}
            """,
            """
            /// Takes the photo away,
            /// with \"quotes\".
            func elsewhere(_ request: Request, _ context: Context) async throws -> Response {}

            /// Another file's own.
            private func hidden(_ request: Request, _ context: Context) async throws -> Response {}
            """,
        ])
        #expect(
            comments.texts == [
                "notes": "The notes of a team.", "POST /notes": "Makes one of a mail.",
                "POST /notes/:id/archive":
                    "Archives a note; of one that is, it changes nothing.\nIt is `Note` no more.",
                "DELETE /notes/:id/photo": "Takes the photo away, with \"quotes\".",
            ]
        )
        #expect(comments.swift.contains(#""Takes the photo away, with \"quotes\".","#))
    }

    @Test func `without any comment it still is Swift`() {
        #expect(DocComments(sources: [""]).swift.hasSuffix("let documentation: [String: String] = [\n    :\n]\n"))
    }

    /// Whoever changes a comment runs `swiftlet generate summaries` again.
    @Test(arguments: ["Business", "CheckIns", "DeviceLogs"])
    func `the apps of this repository have the summaries of their sources`(app: String) throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../Sources/Apps/\(app)").standardized
        let names = try #require(FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String })
        let sources = try names.filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOf: root.appending(path: $0), encoding: .utf8)
        }
        let written = try String(contentsOf: root.appending(path: "Summaries.swift"), encoding: .utf8)
        #expect(DocComments(sources: sources).swift == written)
    }
}
