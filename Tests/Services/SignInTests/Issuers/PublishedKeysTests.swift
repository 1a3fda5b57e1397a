import SwiftletAuth
import Foundation
import SwiftletJSON
import SwiftletOutbound
import SwiftletWeb
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletSignIn

@Suite(.enabled(if: Python.isInstalled, "install python3"), .hangLimit)
struct PublishedKeysTests {
    /// Seconds that a test turns by hand.
    final class Clock: Sendable {
        private let seconds = Mutex<UInt64>(1000)
        func advance(_ count: Int) { seconds.withLock { $0 += UInt64(count) } }
        var clock: ServerClock {
            ServerClock(nanoseconds: { self.seconds.withLock { $0 * 1_000_000_000 } }, milliseconds: { 0 })
        }
    }

    private let server: PythonServer
    private let base: String
    private let clock = Clock()
    private let one = TestIssuer(.p256, keyID: "one")
    private let two = TestIssuer(.ed25519, keyID: "two")

    init() throws {
        server = try PythonServer.start("web_server.py")
        base = "http://127.0.0.1:\(server.port("http"))"
    }

    private func send(_ request: HTTPRequest) async throws -> String {
        let reply = try await request.sent()
        return String(decoding: reply.body, as: UTF8.self)
    }

    private func put(_ body: String, path: String = "/keys", _ more: String = "") async throws {
        _ = try await send(.post("\(base)/__put?path=\(path)\(more)", Array(body.utf8)))
    }

    private func count(_ path: String = "/keys") async throws -> Int? {
        Int(try await send(.get("\(base)/__count?path=\(path)")))
    }

    private func keys(_ place: PublishedKeys.Place? = nil) -> PublishedKeys {
        PublishedKeys(place ?? .url("\(base)/keys"), TestHTTP.engine, clock: clock.clock)
    }

    private func names(_ keys: PublishedKeys) -> [String?] { keys.current?.keys.map(\.keyID) ?? [] }

    @Test(
        arguments: [
            (nil, 300), ("max-age=60", 60), ("public, max-age=600", 600), ("max-age=1", 60), ("max-age=0", 60),
            ("MAX-AGE = \"7200\"", 7200), ("max-age=999999999", 86400), ("max-age=99999999999999999999999", 86400),
            ("max-age=-5", 300), ("no-store", 300), ("s-maxage=900", 300), ("max-age", 300), ("max-age=x", 300),
        ] as [(String?, Int)]
    )
    func `reads how long a set is good`(field: String?, seconds: Int) {
        #expect(KeySource.lifetime(field) == seconds)
    }

    @Test func `keeps a set as long as its server says`() async throws {
        try await put(one.jwks, "&cache=max-age%3D120")
        let keys = keys()
        #expect(await keys.keys()?.keys.count == 1)
        clock.advance(119)
        _ = await keys.keys()
        #expect(try await count() == 1)
        clock.advance(2)
        _ = await keys.keys()
        #expect(try await count() == 2)
    }

    @Test func `keeps the last good set while the server is down or talks nonsense`() async throws {
        try await put(one.jwks)
        let keys = keys()
        #expect(await keys.refresh())
        for (status, body) in [(500, "{}"), (200, "nonsense"), (200, #"{"keys":[]}"#), (404, one.jwks)] {
            try await put(body, "&status=\(status)")
            #expect(await !keys.refresh())
            #expect(names(keys) == ["one"])
            #expect(await keys.keys()?.keys.count == 1)
        }
        try await put(two.jwks)
        #expect(await keys.refresh())
        #expect(names(keys) == ["two"])
    }

    @Test func `fetches for an unknown key at most once a minute`() async throws {
        try await put(one.jwks)
        let keys = keys()
        await keys.refresh()
        try await put(two.jwks)
        #expect(await keys.refreshAfterMiss())
        #expect(names(keys) == ["two"])
        for _ in 0..<50 { #expect(await !keys.refreshAfterMiss()) }
        #expect(try await count() == 1)
        clock.advance(59)
        #expect(await !keys.refreshAfterMiss())
        clock.advance(1)
        #expect(await keys.refreshAfterMiss())
        #expect(try await count() == 2)
    }

    @Test func `fetches once for a crowd`() async throws {
        try await put(one.jwks, "&delay=0.3")
        let keys = keys()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    if number % 2 == 0 { _ = await keys.refreshAfterMiss() } else { _ = await keys.keys() }
                    #expect(keys.current != nil)
                }
            }
        }
        #expect(try await count() == 1)
    }

    @Test func `lets a token wait two seconds at most`() async throws {
        try await put(one.jwks, "&delay=4")
        let keys = keys()
        let stopwatch = Stopwatch()
        #expect(await !keys.refreshAfterMiss())
        #expect(stopwatch.wallTime > .seconds(1.8))
        #expect(stopwatch.elapsed < .seconds(3.9))
    }

    @Test func `ends a wait with its task, and prefers an old set to a long wait`() async throws {
        try await put(one.jwks)
        let keys = keys()
        await keys.refresh()
        try await put(two.jwks, "&delay=6")
        clock.advance(86_500)
        let stopwatch = Stopwatch()
        let waiting = Task { await keys.refresh() }
        try await Task.sleep(for: .milliseconds(100))
        waiting.cancel()
        #expect(await !waiting.value)
        let cancelled = Task { () -> Bool in
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await keys.refresh()
        }
        #expect(await !cancelled.value)
        #expect(stopwatch.elapsed < .seconds(3))
        #expect(await keys.keys()?.keys.first?.keyID == "one")
        #expect(stopwatch.elapsed < .seconds(5.5))
    }

    @Test func `finds the address by discovery, from the issuer itself only`() async throws {
        try await put(one.jwks, path: "/elsewhere")
        let configuration = "/issuer/.well-known/openid-configuration"
        let issuer = "\(base)/issuer"
        try await put(#"{"issuer":"\#(issuer)","jwks_uri":"\#(base)/elsewhere"}"#, path: configuration)
        let keys = keys(.discovery(issuer: issuer))
        #expect(await keys.refresh())
        #expect(names(keys) == ["one"])
        for document in [
            #"{"issuer":"https://evil.example","jwks_uri":"\#(base)/elsewhere"}"#,
            #"{"jwks_uri":"\#(base)/elsewhere"}"#,
            #"{"issuer":"\#(issuer)"}"#, "[]", #"{"issuer":"\#(issuer)","jwks_uri":"http://id.example/keys"}"#,
            #"{"issuer":"\#(issuer)","jwks_uri":"file:///etc/passwd"}"#,
        ] {
            try await put(document, path: configuration)
            #expect(await !self.keys(.discovery(issuer: issuer)).refresh())
        }
    }

    @Test func `says why there is no document of the issuer`() async throws {
        let issuer = "\(base)/issuer"
        let url = "\(issuer)/.well-known/openid-configuration"
        for (status, body, reason) in [(503, "{}", "answers 503"), (200, "{}", "names no jwks_uri")] {
            try await put(body, path: "/issuer/.well-known/openid-configuration", "&status=\(status)")
            await #expect(throws: PublishedKeys.Failure(description: "\(url) \(reason)")) {
                try await keys(.discovery(issuer: issuer)).read()
            }
        }
    }

    /// Else the document of an issuer could send us to any plain port of this machine.
    @Test func `follows a secure issuer to a secure address only`() async throws {
        let issuer = "https://localhost:\(server.port("https"))/issuer"
        let secure = "https://localhost:\(server.port("https"))/keys"
        try await put(one.jwks)
        let trust = Trust.systemAnd(file: server.certificateFile)
        for (address, isFetched) in [(secure, true), ("\(base)/keys", false)] {
            let document = #"{"issuer":"\#(issuer)","jwks_uri":"\#(address)"}"#
            try await put(document, path: "/issuer/.well-known/openid-configuration")
            let before = try await count() ?? 0
            #expect(
                await PublishedKeys(.discovery(issuer: issuer), TestHTTP.engine(trust: trust)).refresh() == isFetched
            )
            #expect(try await count() == before + (isFetched ? 1 : 0))
        }
    }

    @Test func `reads a file, and reads it again when told`() async throws {
        let path = "/tmp/swiftlet-keys-\(UUID().uuidString.prefix(8)).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let keys = keys(.file(path))
        #expect(await !keys.refresh())
        await #expect(throws: PublishedKeys.Failure(description: "\(path) cannot be read")) { try await keys.read() }
        try Data(one.jwks.utf8).write(to: URL(fileURLWithPath: path))
        #expect(await keys.refresh())
        #expect(names(keys) == ["one"])
        try Data(two.jwks.utf8).write(to: URL(fileURLWithPath: path))
        #expect(await keys.refreshAfterMiss())
        #expect(names(keys) == ["two"])
    }
}
