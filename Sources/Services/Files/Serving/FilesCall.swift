import SwiftletEssentials
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// One request with its caller. All that it asks of the database is one transaction in one round trip.
struct FilesCall {
    let request: Request
    let context: Context
    let caller: DatabaseCaller
    /// What policies read as `storage.operation`: `storage.object.upload`.
    let operation: String
    let statements: StatementCache
    let allowsUnicodeNames: Bool

    func name(_ text: String) throws(FilesError) -> ObjectName {
        try ObjectName(text, allowsUnicode: allowsUnicodeNames)
    }

    /// Runs `own` as the server itself, which no policy binds, then `asCaller` under the policies for whoever asks, and
    /// returns the rows of all of them in this order. With `isUndone` nothing of it stays.
    func run(
        own: [SQL] = [],
        asCaller: [SQL] = [],
        isReadOnly: Bool = false,
        isUndone: Bool = false
    ) async throws(PostgresError) -> [[Row]] {
        var calls: [StatementCall] = []
        if !isReadOnly { calls.append(statements.call(Self.allowingDeletions, isReadOnly: true)) }
        calls += own.map { statements.call($0, isReadOnly: isReadOnly) }
        if !asCaller.isEmpty {
            calls.append(statements.call(settings))
            calls += asCaller.map { statements.call($0, role: caller.role, isReadOnly: isReadOnly) }
        }
        let all = calls
        let boxes = try await context.measureDatabase(rows: { _ in 0 }, of: all.map(\.statement.text)) {
            () async throws(PostgresError) in
            try await context.server.database.runIsolated(
                all,
                isUndone: isUndone,
                guest: caller.guest,
                mayLeaveTraces: !isReadOnly
            )
        }
        var results: [[Row]] = []
        for box in boxes.dropFirst(isReadOnly ? 0 : 1) { results.append(try box.rows()) }
        if !asCaller.isEmpty { results.remove(at: own.count) }
        return results
    }

    /// Whom a new row belongs to; nil for nobody.
    var ownerID: String? { caller.userID.isEmpty ? nil : caller.userID }

    /// The same for the column that takes only ids of users of `/auth/v1`.
    var ownerUUID: String? { ownerID.flatMap { UUID(uuidString: $0) }?.uuidString.lowercased() }

    /// Databases of Supabase refuse deletions without it.
    static let allowingDeletions: SQL = "SELECT set_config('storage.allow_delete_query', 'true', true)"

    private var settings: TransactionSettings {
        let texts = request.settingTexts
        return TransactionSettings(
            caller,
            method: request.method.rawValue,
            path: request.filesPath,
            headers: texts.headers,
            cookies: texts.cookies,
            searchPath: "storage, public, extensions",
            others: [
                RoleSetting(name: "request.jwt.claim.sub", value: caller.userID),
                RoleSetting(name: "request.jwt.claim.role", value: caller.role),
                RoleSetting(name: "storage.operation", value: operation),
            ],
            isReadOnly: false
        )
    }
}
