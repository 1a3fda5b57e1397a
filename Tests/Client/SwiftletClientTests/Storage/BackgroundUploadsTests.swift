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

    /// As when the person ends the app, or a request has ended.
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

            let silent = RecordedTransport([Self.offset(5)])
            let later = BackgroundUploads(Clients.make(silent, tokens: store), transfers: transfers)
            #expect(try await later.pending() == [begun])
            // The system still has it.
            #expect(try await later.resume().isEmpty)
            #expect(try await later.ended("another", status: 204) == nil)
            #expect(await silent.requests.isEmpty)
            await transfers.giveUp()
            guard case .finished(begun)? = try await later.ended("u1", status: 204) else {
                Issue.record("it is not finished")
                return
            }
            #expect(try await later.pending().isEmpty)
            #expect(await store.read("background-uploads") == nil)
            #expect(await silent.requests.count == 1)
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
            await transfers.giveUp()
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
            let transfers = NotedTransfers()
            let uploads = BackgroundUploads(Clients.make(server), transfers: transfers)
            try await uploads.begin("a", in: "own", file: file)
            await transfers.giveUp()
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
            for _ in 0..<10 {
                await transfers.giveUp()
                #expect(try await uploads.ended("u1", status: nil) == nil)
            }
            await transfers.giveUp()
            guard case .failed? = try await uploads.ended("u1", status: nil) else {
                Issue.record("it goes on for ever")
                return
            }
            #expect(await transfers.started.count == 11)
        }
    }

    @Test func `a file that has become shorter is no upload that is finished`() async throws {
        try await withFile { file in
            let transfers = NotedTransfers()
            let server = RecordedTransport([Self.signed, Self.made, Self.offset(3)])
            let uploads = BackgroundUploads(Clients.make(server), transfers: transfers)
            try await uploads.begin("a", in: "own", file: file)
            await transfers.giveUp()
            try Data("Hel".utf8).write(to: file)
            guard case .failed(_, .invalidRequest)? = try await uploads.ended("u1", status: 204) else {
                Issue.record("it did not fail")
                return
            }
            #expect(await transfers.started.count == 1)
            #expect(try await uploads.pending().isEmpty)
        }
    }

    @Test func `what was sent whole is finished, though the server says nothing of it any more`() async throws {
        try await withFile { file in
            let transfers = NotedTransfers()
            // The token has ended, and a new one is not for a name that is taken.
            let server = RecordedTransport([Self.signed, Self.made, .status(400), .status(409)])
            let uploads = BackgroundUploads(Clients.make(server), transfers: transfers)
            try await uploads.begin("a", in: "own", file: file)
            await transfers.giveUp()
            guard case .finished? = try await uploads.ended("u1", status: 204) else {
                Issue.record("it is not finished")
                return
            }
        }
    }

    @Test func `one who resumes and one who is told of the end send a part once`() async throws {
        try await withFile { file in
            let folder = FileManager.default.temporaryDirectory.appending(path: "swiftlet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let transfers = NotedTransfers()
            let server = RecordedTransport([Self.signed, Self.made, Self.offset(2), Self.offset(4), Self.offset(5)])
            let uploads = BackgroundUploads(Clients.make(server), transfers: transfers, folder: folder)
            let rests = { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
            try await uploads.begin("a", in: "own", file: file)
            await transfers.giveUp()
            async let resumed = uploads.resume()
            async let first = uploads.ended("u1", status: nil)
            async let second = uploads.ended("u1", status: nil)
            let outcomes = try await (resumed, first, second)
            #expect(outcomes.0.isEmpty && outcomes.1 == nil && outcomes.2 == nil)
            #expect(await transfers.started.map(\.content) == [Data("Hello".utf8), Data("llo".utf8)])
            #expect(try rests() == ["upload-u1-2.rest"])
            await transfers.giveUp()
            #expect(try await uploads.ended("u1", status: nil) == nil)
            #expect(await transfers.started.last?.content == Data("o".utf8))
            #expect(try rests() == ["upload-u1-4.rest"])
            await transfers.giveUp()
            guard case .finished? = try await uploads.ended("u1", status: 204) else {
                Issue.record("it is not finished")
                return
            }
            #expect(try rests().isEmpty)
        }
    }
}
