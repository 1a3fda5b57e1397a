import Foundation
import SwiftletAuth
import SwiftletClient
import SwiftletJSON
import SwiftletPostgres
import SwiftletSync
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletServer

/// Changes of rows as an app follows them, while its server goes away.
@Suite(.needsDatabase, .hangLimit)
struct ClientRowChangesTests {
    private let served: ServedChanges

    init() throws { served = try ServedChanges() }

    private struct Todo: Decodable, Sendable {
        let id: Int
        let dueAt: Date?
    }

    private struct Key: Decodable { let id: Int }

    private func environment(port: Int) -> [String: String] {
        served.environment.merging(["PORT": "\(port)"]) { $1 }
    }

    private func client(port: Int) throws -> APIClient {
        let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        var configuration = APIClient.Configuration(baseURL: base)
        configuration.apiKey = try ServedChanges.token()
        configuration.retry.sleep = { _ in try await Task.sleep(for: .milliseconds(50)) }
        return APIClient(configuration: configuration)
    }

    @Test func `every change comes once, while the server is away and after the app was`() async throws {
        let connection = try BlockingConnection.connect(to: served.url)
        try connection.execute("CREATE TABLE todos (id int PRIMARY KEY, due_at timestamptz)")
        try connection.execute("GRANT SELECT ON todos TO service_role")
        let port = try #require(unassignedPort())
        let added = try await SwiftletProcess.run(
            ["realtime", "add", "todos"],
            in: served.folder,
            environment(port: port)
        )
        #expect(added.status == 0, "\(added.errors)")
        var process = try await served.serveReading(environment(port: port)).process
        let seen = SeenChanges()
        let client = try client(port: port)
        let following = follow(client, seen)
        #expect(try await eventually(within: .seconds(30)) { seen.all.contains("ready") })
        try connection.execute("INSERT INTO todos VALUES (1, '2025-03-15T17:44:35Z')")
        #expect(try await eventually(within: .seconds(30)) { seen.all.contains("insert 1 1742060675") })
        process.send(SIGKILL)
        _ = try await process.end()
        try connection.execute("INSERT INTO todos VALUES (2, NULL)")
        process = try await served.serveReading(environment(port: port)).process
        #expect(try await eventually(within: .seconds(60)) { seen.all.contains("insert 2 -") })
        following.cancel()
        _ = await following.result

        try connection.execute(
            "UPDATE todos SET due_at = '2025-03-15T17:44:36Z' WHERE id = 2; DELETE FROM todos WHERE id = 1"
        )
        let position = try #require(seen.position)
        for try await change in RowChanges<Todo>(client, table: "todos", since: position) {
            seen.add(ClientRowChangesTests.text(change), change.position)
            if case .delete = change.kind { break }
        }
        #expect(
            seen.all.filter { $0 != "ready" }
                == ["insert 1 1742060675", "insert 2 -", "update 2 from 2", "delete 1"]
        )
        await #expect(throws: SwiftletClient.APIError.notFound) {
            try await first(RowChanges(client, table: "nothing"))
        }
        // A position of another log: what lies between is not known.
        #expect(try await first(RowChanges(client, table: "todos", since: "1.0000000000000001.0")) == "reset")
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    /// What a sign-up answers, as the app keeps it, with a token that expires in so many seconds.
    private static func session(_ answer: String, expiresIn seconds: Int) throws -> Data {
        struct Answer: Decodable {
            let access_token, refresh_token: String
            let user: User
            struct User: Decodable { let id: String }
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(answer.utf8))
        let text = String(try #require(answer.access_token.split(separator: ".").dropFirst().first))
        let padded = text.replacing("-", with: "+").replacing("_", with: "/")
            .padding(toLength: (text.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
        var claims = try JSONParser.parse(Array(try #require(Data(base64Encoded: padded)))).object ?? [:]
        claims["exp"] = JSONValue(Int(Date().timeIntervalSince1970) + seconds)
        let token = try TokenIssuer(secret: Secret(ServedChanges.secret)).issue(
            payload: Array(JSONValue.object(claims).description.utf8)
        )
        let session =
            #"{"accessToken":"\#(token)","refreshToken":"\#(answer.refresh_token)","user":{"id":"\#(answer.user.id)"}}"#
        return Data(session.utf8)
    }

    /// The token lives for two seconds, which is what the test waits for.
    @Test func `a stream goes on with a new token when its own has expired`() async throws {
        let connection = try BlockingConnection.connect(to: served.url)
        try connection.execute("CREATE TABLE todos (id int PRIMARY KEY, due_at timestamptz)")
        try connection.execute("GRANT SELECT ON todos TO authenticated")
        let port = try #require(unassignedPort())
        let environment = environment(port: port).merging(["MAILER_AUTOCONFIRM": "on"]) { $1 }
        #expect(
            try await SwiftletProcess.run(["realtime", "add", "todos"], in: served.folder, environment).status == 0
        )
        let (process, _) = try await SwiftletProcess.serveReady(in: served.folder, environment)
        let key = try ServedChanges.token("anon")
        let account = #"{"email":"ada@example.org","password":"correct horse battery"}"#
        let signUp = try SocketClient(port: port)
        try signUp.send(
            "POST /auth/v1/signup HTTP/1.1\r\nHost: localhost\r\napikey: \(key)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(account.utf8.count)\r\n\r\n\(account)"
        )
        let signedUp = try signUp.reply()
        try #require(signedUp.status == 200, "\(signedUp)")

        let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        var configuration = APIClient.Configuration(baseURL: base)
        configuration.apiKey = key
        configuration.retry.sleep = { _ in try await Task.sleep(for: .milliseconds(50)) }
        let session = try Self.session(signedUp.body, expiresIn: 2)
        let client = APIClient(configuration: configuration, tokens: InMemoryTokenStore(["session": session]))
        let first = try await client.keeper.current()?.accessToken
        let seen = SeenChanges()
        let following = follow(client, seen)
        #expect(try await eventually(within: .seconds(30)) { seen.all.contains("ready") })
        var id = 0
        let isRenewed = try await eventually(within: .seconds(60)) {
            id += 1
            try connection.execute("INSERT INTO todos VALUES (\(id))")
            return try await client.keeper.current()?.accessToken != first
        }
        #expect(isRenewed)
        try connection.execute("INSERT INTO todos VALUES (\(id + 1))")
        #expect(try await eventually(within: .seconds(60)) { seen.all.contains("insert \(id + 1) -") })
        #expect(seen.all.filter { $0 != "ready" } == (1...id + 1).map { "insert \($0) -" })
        following.cancel()
        _ = await following.result
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    private struct Item: Codable, Sendable, Hashable {
        var id: Int
        var title: String
    }

    @Test func `a copy is brought in line with a server that was killed in between`() async throws {
        let connection = try BlockingConnection.connect(to: served.url)
        try connection.execute(
            """
            CREATE TABLE items (id int PRIMARY KEY, title text);
            ALTER TABLE items ENABLE ROW LEVEL SECURITY;
            CREATE POLICY all_ ON items TO authenticated USING (true);
            GRANT ALL ON items TO authenticated;
            SELECT swiftlet.enable_sync('items');
            """
        )
        let port = try #require(unassignedPort())
        var process = try await served.serveReading(environment(port: port)).process
        let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
        let token = try ServedChanges.token("authenticated", sub: "ada")
        var configuration = APIClient.Configuration(baseURL: base, apiKey: token)
        configuration.retry.sleep = { _ in try await Task.sleep(for: .milliseconds(50)) }
        let place = URL(filePath: served.folder).appending(path: "items")
        let store = try SyncStore(
            APIClient(configuration: configuration),
            tables: [SyncedTable("items")],
            directory: place
        )
        let running = Task { await store.run() }
        try await store.insert(Item(id: 1, title: "online"), into: "items")
        #expect(try await eventually(within: .seconds(60)) { try await store.pendingChanges == 0 })
        process.send(SIGKILL)
        _ = try await process.end()
        try await store.insert(Item(id: 2, title: "offline"), into: "items")
        try connection.execute(
            "INSERT INTO items VALUES (3, 'theirs'); UPDATE items SET title = 'changed' WHERE id = 1"
        )
        process = try await served.serveReading(environment(port: port)).process
        let wanted = [Item(id: 1, title: "changed"), Item(id: 2, title: "offline"), Item(id: 3, title: "theirs")]
        #expect(
            try await eventually(within: .seconds(60)) { try await store.current("items", as: Item.self) == wanted }
        )
        // What the app shows has its waiting changes in it.
        #expect(try await eventually(within: .seconds(60)) { try await store.pendingChanges == 0 })
        #expect(try connection.query("SELECT count(*) FROM items") == [["3"]])
        running.cancel()
        await running.value
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    private func follow(_ client: APIClient, _ seen: SeenChanges) -> Task<Void, any Error> {
        Task.detached {
            for try await change in RowChanges<Todo>(client, table: "todos") {
                seen.add(ClientRowChangesTests.text(change), change.position)
            }
        }
    }

    @discardableResult
    private func first(_ changes: RowChanges<Todo>) async throws -> String? {
        for try await change in changes { return Self.text(change) }
        return nil
    }

    private static func text(_ change: RowChange<Todo>) -> String {
        switch change.kind {
        case .ready: "ready"
        case .reset: "reset"
        case .insert(let row): "insert \(row.id) \(row.dueAt.map { "\(Int($0.timeIntervalSince1970))" } ?? "-")"
        case .update(let row, let old): "update \(row.id) from \((try? old.decode(Key.self).id) ?? 0)"
        case .delete(let old): "delete \((try? old.decode(Key.self).id) ?? 0)"
        }
    }
}

private final class SeenChanges: Sendable {
    private let state = Mutex<(texts: [String], position: String?)>(([], nil))

    func add(_ text: String, _ position: String?) {
        state.withLock {
            $0.texts.append(text)
            $0.position = position ?? $0.position
        }
    }

    var all: [String] { state.withLock(\.texts) }
    var position: String? { state.withLock(\.position) }
}
