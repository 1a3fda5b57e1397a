import SwiftletHTTP
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// How often a request asks the database.
@Suite(.needsDatabase, .hangLimit) struct RoundTripTests {
    private let queue = SpanQueue(limit: 10_000)

    private var tracer: Tracer { Tracer(TraceSampler(ratio: 1, followsParent: false), to: queue) }

    /// How many round trips there were since the last call. Statements that go together begin before any of them ends.
    private func count() -> Int {
        let statements = queue.take(10_000).filter { span in
            if case .text? = span["db.query.text"] { true } else { false }
        }
        var (trips, end) = (0, UInt64.zero)
        for statement in statements.sorted(by: { $0.start < $1.start }) {
            if statement.start >= end {
                trips += 1
                end = statement.end
            }
            end = min(end, statement.end)
        }
        return trips
    }

    /// With the settings of its caller, the bucket and the policies. Storing a file takes three: the bucket before its
    /// content comes, which may undo a trial of the row; its note before the file; its row behind it.
    @Test func `a request is one round trip, and three where a file lies between`() async throws {
        try await FilesServer.with(tracer: tracer) { files in
            let (ada, own) = (FilesServer.ada, "own/\(FilesServer.ada)")
            // The first of each reads the tables.
            _ = try await files.json(.post, "object/\(own)/first", "x", as: ada)
            _ = count()
            let names = #""bucketId":"own","sourceKey":"\#(ada)/a""#
            for (method, path, body, expected) in [
                (.post, "object/\(own)/a", "a", 3), (.put, "object/\(own)/a", "b", 3), (.get, "object/\(own)/a", "", 1),
                (.head, "object/\(own)/a", "", 1), (.get, "object/info/\(own)/a", "", 1),
                (.get, "object/authenticated/\(own)/a", "", 1), (.post, "object/list/own", #"{"prefix":""}"#, 1),
                (.post, "object/list-v2/own", "{}", 1), (.post, "object/sign/\(own)/a", #"{"expiresIn":60}"#, 1),
                (.post, "object/sign/own", #"{"expiresIn":60,"paths":["\#(ada)/a","x"]}"#, 1),
                (.post, "object/upload/sign/\(own)/c", "{}", 1),
                (.post, "object/move", #"{\#(names),"destinationKey":"\#(ada)/b"}"#, 1),
                (.delete, "object/\(own)/b", "", 1), (.delete, "object/own", #"{"prefixes":["\#(ada)/first"]}"#, 1),
                (.get, "bucket", "", 1), (.get, "bucket/own", "", 1),
            ] as [(SwiftletHTTP.Method, String, String, Int)] {
                let response = try await files.send(method, path, body, as: path.hasPrefix("bucket") ? nil : ada)
                #expect(response.status == .ok, "\(method) \(path): \(response.text)")
                let count = count()
                #expect(count == expected, "\(method) \(path)")
            }
            _ = try await files.send(.get, "object/\(own)/none", as: FilesServer.bob)
            #expect(count() == 1)
        }
    }
}
