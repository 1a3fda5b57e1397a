import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
package import SwiftletPostgres
package import SwiftletWeb

/// `/realtime/v1/sync`: copies of tables that apps keep and change offline.
package struct SyncRoutes: Sendable {
    /// How long a request waits for something new, at most.
    private static let longestWait = 30

    private let hub: ChangeHub
    private let pull: SyncPull
    private let push: SyncPush

    package init(database: Database, hub: ChangeHub) {
        self.hub = hub
        let statements = SyncStatements()
        pull = SyncPull(database: database, catalog: VisibleTables(database), statements: statements)
        push = SyncPush(database: database, pull: pull, statements: statements)
    }

    /// For every valid key; to change rows, somebody must be signed in.
    package var routes: [Route] {
        [
            Route(.get, "/v1/sync", handler: pullRows).anyKey(),
            Route(.get, "/v1/sync/wait", handler: wait).anyKey(),
            Route(.post, "/v1/sync", handler: pushChanges).anyKey(),
        ]
    }

    /// `?tables=a,b&since=&client_id=` → `{"cursor","more","last_id"?,"tables":{"a":{"reset","complete","upsert":[…],
    /// "delete":[{key}]}}}`.
    @Sendable private func pullRows(_ request: Request, _ context: Context) async throws -> Response {
        let caller = try Self.caller(context)
        let names = try Self.tables(request)
        let since = try Self.cursor(request)
        var client: String?
        if let text = request.query["client_id"] {
            client = SyncBatch.uuid(text)
            guard client != nil else { throw APIError.validation(["client_id": "must be a UUID"]) }
        }
        return Self.response(try await pull.answer(names, since: since, client: client, as: caller))
    }

    /// `{"client_id", "mutations":[{"id","table","op","key","values"?,"if"?}]}` → `{"last_id","results":[{"id","status",
    /// "duplicate","row","code"?,"message"?}]}`.
    @Sendable private func pushChanges(_ request: Request, _ context: Context) async throws -> Response {
        let caller = try Self.caller(context)
        guard !caller.id.isEmpty else { throw APIError.unauthorized }
        return Self.response(try await push.answer(try SyncBatch(request.body), as: caller))
    }

    /// 204 as soon as a pull behind the cursor would bring something, or when the time is over.
    @Sendable private func wait(_ request: Request, _ context: Context) async throws -> Response {
        let caller = try Self.caller(context)
        let names = try Self.tables(request)
        guard let cursor = try Self.cursor(request), cursor.reading == nil,
            names.allSatisfy({ cursor.complete[$0] != nil })
        else { return Response(status: .noContent) }
        let seconds = max(1, min(Self.longestWait, request.query["seconds"].flatMap { Int($0) } ?? 25))
        let known = try await pull.prepare(names, caller)
        let requests = known.tables.values
            .filter { known.roles[$0.relation]?.columns.isEmpty == false }
            .map { ChangeRequest(schema: $0.schema, table: $0.name, select: $0.keys) }
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let subscriber: ChangeSubscriber
        do {
            subscriber = try await hub.subscribe(to: requests, as: caller.change, after: cursor.position) { _ in
                signal.yield()
                return true
            }
        } catch is ChangeCursorError {
            // The pull says why.
            return Response(status: .noContent)
        }
        defer { hub.remove(subscriber) }
        await withTaskGroup { group in
            group.addTask { for await _ in signals { break } }
            group.addTask { try? await Task.sleep(for: .seconds(seconds)) }
            await group.next()
            group.cancelAll()
        }
        return Response(status: .noContent)
    }

    // MARK: - Requests

    private static func response(_ json: [UInt8]) -> Response {
        var response = Response(json: json)
        response.headers.append("Cache-Control", "no-store")
        return response
    }

    private static func caller(_ context: Context) throws -> SyncCaller {
        let user = try context.user
        guard case .success(let admitted) = ChannelCaller.admit(user) else { throw APIError.unauthorized }
        return SyncCaller(
            id: admitted.isPerson ? admitted.id : "",
            role: admitted.role,
            claims: admitted.payload,
            change: ChangeCaller(admitted)
        )
    }

    private static func tables(_ request: Request) throws(APIError) -> [String] {
        let names = request.query["tables"]?.split(separator: ",").map(String.init) ?? []
        guard !names.isEmpty, names.count <= SyncPull.maximumTables, Set(names).count == names.count else {
            throw APIError.validation(["tables": "must be 1 to \(SyncPull.maximumTables) different names"])
        }
        return names
    }

    private static func cursor(_ request: Request) throws(APIError) -> SyncCursor? {
        guard let text = request.query["since"], !text.isEmpty else { return nil }
        guard let cursor = SyncCursor(text) else {
            throw APIError(.badRequest, "INVALID_CURSOR", "The cursor is none of this server's.")
        }
        return cursor
    }
}
