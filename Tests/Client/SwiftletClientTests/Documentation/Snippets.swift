import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import CheckInsClientMocks
import DeviceLogsClientMocks
import Testing

// What docs/for-app-teams.md shows, so that it compiles. A test looks that the page has nothing else.

func startOfTheApp(_ makeStore: () -> any TokenStore) async throws {
    let (url, anonKey) = (Clients.base, "anon")
    let tokens = makeStore()

    let client = APIClient(configuration: .init(baseURL: url, apiKey: anonKey), tokens: tokens)
    let auth = AuthManager(client: client)
    for await event in auth.sessions {
        switch event {
        case .signedIn(let user): print("Hello, \(user.displayName)")
        case .signedOut: print("Show the sign-in screen")
        }
    }
}

func hostedFunctions(_ functions: URL, _ project: URL) {
    let configuration = APIClient.Configuration(
        baseURL: project,
        functionsURL: functions,  // takes /api/tasks as /tasks
        authURL: project  // takes /auth/v1/…
    )
    _ = configuration
}

func someScreen(_ client: APIClient, _ auth: AuthManager, _ email: String, _ password: String) async throws {
    let user = try await auth.login(email: email, password: password)
    let tasks: [TaskItem] = try await client.requestArray(.tasks(my: true, status: .inProgress))
    let page: Page<TaskItem> = try await client.requestPage(.tasks(page: 2, limit: 25))
    let task = try await TaskService(client).createTask(.init(title: "Call back"))
    _ = (user, tasks, page, task)
}

struct Note: Codable, Sendable, Identifiable {
    enum Topic: String, SafeDecodable { case ideas, plans, unknown }

    let id: String
    var title: String
    var topic: Topic
    var createdAt: Date?
}

struct NewNote: Encodable, Sendable {
    var title: String
}

extension APIEndpoint {
    static func notes(page: Int = 1) -> APIEndpoint {
        APIEndpoint(.get, path("notes"), query: [URLQueryItem(name: "page", value: "\(page)")])
    }

    static func createNote(_ note: NewNote) -> APIEndpoint { create(path("notes"), note) }
}

func errors(_ service: TaskService) async {
    do {
        try await service.createTask(.init(title: ""))
    } catch APIError.validation(let fields) {
        print(fields["title"] ?? "")  // "must not be empty"
    } catch let error as APIError {
        print(error.localizedDescription, error.requestID ?? "")
    } catch {
        // The task was cancelled.
    }
}

func checkIns(_ url: URL, _ auth: any AuthProvider) async throws {
    let functions = FunctionsAdapter(url: url, auth: auth)
    let checkIns: any CheckInClient = CheckInAdapter(functions: functions)
    let checkIn = try await checkIns.processCheckIn(nextCheckInInterval: 24 * 3600)
    _ = checkIn
}

func files(_ client: APIClient, _ picture: Data, _ film: URL) async throws {
    let avatars = StorageClient(client).from("avatars")
    let png = FileOptions(contentType: "image/png", upsert: true)
    try await avatars.upload("ada/me.png", data: picture, options: png)
    let link = try await avatars.createSignedURL(path: "ada/me.png", expiresIn: 3600)
    let small = try avatars.getPublicURL(path: "ada/me.png", options: TransformOptions(width: 200))
    // In pieces: goes on where it was when the network is back, or with the next call after the app was ended.
    try await avatars.uploadResumable("ada/film.mov", file: film) { print($0.fraction) }
    _ = (link, small)
}

struct NoteKey: Decodable {
    let id: String
}

func follow(_ client: APIClient, _ start: String?) async throws {
    var position = start
    for try await change in RowChanges<Note>(client, table: "notes", since: position) {
        switch change.kind {
        case .ready: break  // from here on nothing is missed
        case .insert(let note), .update(let note, _): print(note.title)
        case .delete(let old): print(try old.decode(NoteKey.self).id)
        case .reset: print("Read the rows anew")  // the server no longer has what was missed
        }
        position = change.position  // keep it: the next start goes on behind it
    }
}

struct ChatLine: Codable, Sendable {
    var text: String
}

func talk(_ realtime: RealtimeClient) async throws {
    let running = Task { await realtime.run() }  // keeps the socket open while a channel is joined
    let room = await realtime.channel("room:7", isPrivate: true, presenceKey: "ada")
    await room.join()
    try await room.track(ChatLine(text: "here"))  // told to all on the channel, again after each new connection
    for await message in room.messages where message.event == "line" {
        print(try message.decode(ChatLine.self).text)
        try await room.send("line", ChatLine(text: "hello"))
    }
    await room.leave()
    running.cancel()
}

func sendInTheBackground(
    _ client: APIClient,
    _ session: any BackgroundTransfers,
    film: URL,
    show: (BackgroundUpload.Outcome) -> Void
) async throws {
    let uploads = BackgroundUploads(client, transfers: session)
    for outcome in try await uploads.resume() { show(outcome) }
    try await uploads.begin("ada/film.mov", in: "avatars", file: film)
}

struct SnippetTests {
    @Test func `the screen shows what the server answers`() async throws {
        let transport = RecordedTransport([
            .json(#"{"data":[{"id":"1","title":"Call","status":"todo","priority":"low"}]}"#)
        ])
        let client = APIClient(configuration: .init(baseURL: Clients.base), transport: transport)
        var endpoint = APIEndpoint.tasks(my: true)
        endpoint.requiresAuth = false
        let tasks: [TaskItem] = try await client.requestArray(endpoint)
        #expect(tasks.map(\.title) == ["Call"])
    }

    @Test func `the page for app teams shows nothing that is not compiled here`() throws {
        let file = URL(filePath: #filePath)
        let page = file.deletingLastPathComponent().appending(path: "../../../../docs/for-app-teams.md").standardized
        let compiled = lines(of: try String(contentsOf: file, encoding: .utf8))
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
        let snippets = parts.filter { $0.hasPrefix("swift\n") }.map { lines(of: String($0.dropFirst(6))) }
        #expect(snippets.count >= 6)
        for snippet in snippets { #expect(compiled.contains(snippet), "\(snippet)") }
    }

    /// Without their indentation and empty lines.
    private func lines(of text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
