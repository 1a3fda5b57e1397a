import Foundation
import SwiftletClient
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the system does with files, noted.
actor NotedTransfers: BackgroundTransfers {
    private(set) var started: [(request: URLRequest, content: Data, id: String)] = []
    private var names: Set<String> = []

    func start(_ request: URLRequest, from file: URL, as id: String) throws {
        started.append((request, try Data(contentsOf: file), id))
        names.insert(id)
    }

    func running() -> Set<String> { names }

    /// As when the person ends the app.
    func giveUp() { names = [] }
}

@Suite struct BackgroundUploadsTests {
    private static let signed = RecordedTransport.Outcome.json(
        #"{"url":"/object/upload/sign/own/a?token=t1","token":"t1"}"#
    )
    private static let made = RecordedTransport.Outcome.status(201, headers: ["Location": "sign/u1"])

    private static func offset(_ offset: Int) -> RecordedTransport.Outcome {
        .status(200, headers: ["Upload-Offset": "\(offset)"])
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "swiftlet-\(UUID().uuidString)")
        try Data("Hello".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file)
    }

    @Test func `a file is begun with a token of its own, and known again by a later start of the app`() async throws {
        try await withFile { file in
            let store = InMemoryTokenStore()
            let (server, transfers) = (RecordedTransport([Self.signed, Self.made]), NotedTransfers())
            let uploads = BackgroundUploads(Clients.make(server, tokens: store), transfers: transfers)
            let begun = try await uploads.begin("a", in: "own", file: file)
            let create = try #require(await server.requests.last)
            #expect(create.url?.path.hasSuffix("/storage/v1/upload/resumable/sign") == true)
            #expect(create.value(forHTTPHeaderField: "Upload-Length") == "5")
            let sent = try #require(await transfers.started.first)
            #expect(sent.request.httpMethod == "PATCH")
            #expect(sent.request.url?.path.hasSuffix("/storage/v1/upload/resumable/sign/u1") == true)
            #expect(sent.request.value(forHTTPHeaderField: "x-signature") == "t1")
            #expect(sent.request.value(forHTTPHeaderField: "Authorization") == nil)
            #expect(sent.request.value(forHTTPHeaderField: "Upload-Offset") == "0")
            #expect((sent.id, sent.content) == ("u1", Data("Hello".utf8)))

            let silent = RecordedTransport([])
            let later = BackgroundUploads(Clients.make(silent, tokens: store), transfers: transfers)
            #expect(try await later.pending() == [begun])
            // The system still has it.
            #expect(try await later.resume().isEmpty)
            #expect(try await later.ended("another", status: 204) == nil)
            guard case .finished(begun)? = try await later.ended("u1", status: 204) else {
                Issue.record("it is not finished")
                return
            }
            #expect(try await later.pending().isEmpty)
            #expect(await store.read("background-uploads") == nil)
            #expect(await silent.requests.isEmpty)
        }
    }

    @Test func `what the system has given up goes on where the server is`() async throws {
        try await withFile { file in
            let store = InMemoryTokenStore()
            let transfers = NotedTransfers()
            let first = BackgroundUploads(
                Clients.make(RecordedTransport([Self.signed, Self.made]), tokens: store),
                transfers: transfers
            )
            try await first.begin("a", in: "own", file: file)
            await transfers.giveUp()
            let server = RecordedTransport([Self.offset(3), .status(401), Self.signed, Self.offset(5)])
            let later = BackgroundUploads(Clients.make(server, tokens: store), transfers: transfers)
            #expect(try await later.resume().isEmpty)
            let rest = try #require(await transfers.started.last)
            #expect(rest.content == Data("lo".utf8))
            #expect(rest.request.value(forHTTPHeaderField: "Upload-Offset") == "3")
            // The answer was lost, and the token has ended meanwhile.
            guard case .finished? = try await later.ended("u1", status: nil) else {
                Issue.record("it is not finished")
                return
            }
        }
    }

    /// What the server answers to HEAD after a request has ended so.
    @Test(
        arguments: [
            (409, [.status(404)], APIError.conflict), (403, [.status(404)], .forbidden),
            (413, [.status(404)], .refused(APIError.Refusal(status: 413))), (nil, [.status(410)], .notFound),
            (409, [.status(409)], .conflict), (500, [.status(503)], nil), (nil, [Self.offset(2)], nil),
        ] as [(Int?, [RecordedTransport.Outcome], APIError?)]
    )
    func `says why it failed, or tries again`(
        status: Int?,
        answers: [RecordedTransport.Outcome],
        error: APIError?
    ) async throws {
        try await withFile { file in
            let server = RecordedTransport([Self.signed, Self.made] + answers)
            let uploads = BackgroundUploads(Clients.make(server), transfers: NotedTransfers())
            try await uploads.begin("a", in: "own", file: file)
            let outcome = try await uploads.ended("u1", status: status)
            if let error {
                guard case .failed(_, let found)? = outcome else {
                    Issue.record("\(String(describing: outcome)) is no failure")
                    return
                }
                #expect(found == error)
                #expect(try await uploads.pending().isEmpty)
            } else {
                #expect(outcome == nil)
                #expect(try await uploads.pending().count == 1)
            }
        }
    }

    @Test func `a file that never arrives is given up`() async throws {
        try await withFile { file in
            let server = RecordedTransport([Self.signed, Self.made, Self.offset(0)])
            let transfers = NotedTransfers()
            let uploads = BackgroundUploads(Clients.make(server), transfers: transfers)
            try await uploads.begin("a", in: "own", file: file)
            for _ in 0..<10 { #expect(try await uploads.ended("u1", status: nil) == nil) }
            guard case .failed? = try await uploads.ended("u1", status: nil) else {
                Issue.record("it goes on for ever")
                return
            }
            #expect(await transfers.started.count == 11)
        }
    }
}
