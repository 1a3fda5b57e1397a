import Swiftlet
import SwiftletAuth
import SwiftletEventLoop
import Foundation
import SwiftletBusiness
import SwiftletCheckIns
import SwiftletDeviceLogs
import SwiftletFiles
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletPostgres
import SwiftletPush
import SwiftletRest
import SwiftletSignIn
import SwiftletStorage
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import SwiftletTesting
import Synchronization
import SwiftletWeb

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The real server with a database of its own, on a port: what an app meets.
final class LiveServer: Sendable {
    static let email = "grace@hopper.example"
    static let password = GoTrueDatabase.password

    let databaseURL: String
    /// The folder of ``StorageClient``'s files.
    private let files: String
    let port: Int
    private let running: Mutex<Running?>

    private struct Running {
        let application: TestApplication
        let server: HTTPServer
    }

    /// With Grace, a director of Acme.
    private static let people = """
        INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme');
        INSERT INTO roles (id, name, code, department, level) VALUES ('r5', 'Director', 'DIRECTOR', 'sales', 5);
        INSERT INTO users (id, tenant_id, email, first_name, last_name, password_hash, role_id)
        VALUES ('\(userID)', 'acme', '\(email)', 'Grace', 'Hopper', '\(GoTrueDatabase.passwordHash)', 'r5');
        """
    static let userID = "a0000000-0000-4000-8000-0000000000ff"

    static func with(_ body: (LiveServer) async throws -> Void) async throws {
        let url = try TestDatabase.create()
        let files = "\(FileManager.default.temporaryDirectory.path)/swiftlet-live-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: files) }
        let first = try await start(url, sql: people, files: files, port: unassignedPort() ?? 0)
        let live = LiveServer(databaseURL: url, files: files, first)
        do {
            try await body(live)
        } catch {
            await live.stop()
            throw error
        }
        await live.stop()
    }

    private init(databaseURL: String, files: String, _ first: Running) {
        self.databaseURL = databaseURL
        self.files = files
        port = first.server.localPort
        running = Mutex(first)
    }

    func stop() async {
        let current = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let current else { return }
        await current.server.shutdown(grace: .zero)
        await current.application.stop()
    }

    /// The same database and port, as after an update.
    func startAgain() async throws {
        let next = try await Self.start(databaseURL, sql: "", files: files, port: port)
        running.withLock { $0 = next }
    }

    private static func start(_ url: String, sql: String, files: String, port: Int) async throws -> Running {
        let storage = ObjectStorage(LocalFolder(path: files), maximumBytes: 64 << 20)
        let application = try await TestApplication.start(
            sql: sql,
            databaseURL: url,
            storage: storage,
            push: PushSender { _, _ in .accepted }
        ) { parts in
            let (database, verifier) = (parts.database, parts.verifier)
            var settings = SignInSettings()
            settings.bcryptCost = 4
            let secret = Secret(TestApplication.secret)
            let signIn = try SignIn(
                database: database,
                keys: SigningKeys(SigningKey(secret: secret), verifier: verifier),
                settings: settings
            )
            var tables = RestSettings()
            tables.schemas = ["gallery", "public"]
            let authentication = Authentication(verifier: verifier)
            let rest = RestAPI(database: database, authentication: authentication, settings: tables)
            var places = FilesSettings()
            places.linkSecrets = { [secret] }
            let storage = FilesAPI(authentication: authentication, storage: storage, settings: places)
            let apps = business.functions + checkIns.functions + deviceLogs.functions
            return apps + signIn.functions + [rest.function, storage.function]
        }
        let web = application.application
        var configuration = HTTPServerConfiguration()
        configuration.port = port
        let handler = HTTPHandler(
            respond: { await web.respond(to: $0) },
            streamingLimit: { web.streamingLimit(of: $0) },
            refuse: { Response(status: $0.status) }
        )
        let server = try HTTPServer.start(configuration, on: application.group, handler: handler)
        return Running(application: application, server: server)
    }

    // MARK: - Apps

    func client(
        tokens: any TokenStore = InMemoryTokenStore(),
        transport: (any Transport)? = nil,
        change: (inout APIClient.Configuration) -> Void = { _ in }
    ) -> APIClient {
        var configuration = APIClient.Configuration(
            baseURL: Clients.url("http://127.0.0.1:\(port)"),
            clientName: "swiftlet-tests"
        )
        change(&configuration)
        return APIClient(configuration: configuration, tokens: tokens, transport: transport)
    }

    /// With Grace signed in.
    func signedIn(
        transport: (any Transport)? = nil,
        change: (inout APIClient.Configuration) -> Void = { _ in }
    ) async throws -> APIClient {
        let client = client(transport: transport, change: change)
        try await AuthManager(client: client).login(email: Self.email, password: Self.password)
        return client
    }

    /// A session as it is in the store an hour later: the access token has expired, the refresh token has not.
    func expiredSession() async throws -> InMemoryTokenStore {
        let store = InMemoryTokenStore()
        try await AuthManager(client: client(tokens: store)).login(email: Self.email, password: Self.password)
        guard let data = await store.read("session"), let tenant = TenantID(rawValue: "acme"),
            var session = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { throw CocoaError(.coderInvalidValue) }
        let now = Int(Date().timeIntervalSince1970)
        let payload = UserClaims(userID: Self.userID, tenant: tenant).payload(
            issuedAt: now - 7200,
            expiresAt: now - 3600
        )
        session["accessToken"] = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: payload)
        await store.write(try JSONSerialization.data(withJSONObject: session), as: "session")
        return store
    }

    func execute(_ sql: String) throws { try BlockingConnection.connect(to: databaseURL).execute(sql) }

    /// The first column of the first row.
    func value(_ sql: String) throws -> String? {
        try BlockingConnection.connect(to: databaseURL).query(sql).first?[0]
    }
}

/// The network, which counts what it carries and can lose an answer on its way.
actor UnreliableTransport: Transport {
    private let session = URLSession(configuration: .ephemeral)
    private var answersToLose: Int
    private var methodsToLose: Set<String> = []
    private(set) var paths: [String] = []

    init(losing answersToLose: Int = 0) { self.answersToLose = answersToLose }

    func lose(_ count: Int) { answersToLose = count }

    /// Loses one answer to each of these methods.
    func lose(nextAnswerTo methods: Set<String>) { methodsToLose = methods }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        paths.append(request.path)
        let answer = try await session.send(request)
        if methodsToLose.remove(request.httpMethod ?? "") != nil { throw URLError(.networkConnectionLost) }
        guard answersToLose > 0 else { return answer }
        answersToLose -= 1
        throw URLError(.networkConnectionLost)
    }

    func count(of path: String) -> Int { paths.count { $0 == path } }
}
