import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Applies an app's changes, each once and in order, as its user.
///
/// The client's row is locked, and its number moves in the same transaction as the changes. What became of those that were
/// not applied is kept until the client sends a later one, so that an answer that was lost is given again.
struct SyncPush: Sendable {
    /// Copies of one user whose numbers are kept.
    private static let maximumClients = 100

    let database: Database
    let pull: SyncPull
    let statements: SyncStatements

    private struct Client {
        let lastID: Int
        let digest: String
        var outcomes: [SyncOutcome]
    }

    private struct Outcome {
        var lastID: Int
        var outcomes: [SyncOutcome]
        /// Those before it an earlier request has applied.
        var firstFresh: Int
        var rows: [Int: SyncWriter.Row]
        /// Every change of the batch is in it.
        var isWhole: Bool
    }

    func answer(_ batch: SyncBatch, as caller: SyncCaller) async throws -> [UInt8] {
        let tables = try await tables(batch, caller)
        do {
            return Self.json(try await answer(batch, tables, caller, isAlone: false))
        } catch let error as PostgresError where error.isVerdictAlone {
            return Self.json(try await answerOneByOne(batch, tables, caller))
        }
    }

    /// Each change in a transaction of its own, so that one which always fails is found out, and refused: it would hold up
    /// all behind it for good.
    private func answerOneByOne(
        _ batch: SyncBatch,
        _ tables: [String: SyncWriter.Target],
        _ caller: SyncCaller
    ) async throws -> Outcome {
        var firstFresh = Int.max
        while true {
            var answer = try await answer(batch, tables, caller, isAlone: true)
            firstFresh = min(firstFresh, answer.firstFresh)
            answer.firstFresh = firstFresh
            if answer.isWhole { return answer }
        }
    }

    /// With `isAlone`, at most one change is made.
    private func answer(
        _ batch: SyncBatch,
        _ tables: [String: SyncWriter.Target],
        _ caller: SyncCaller,
        isAlone: Bool
    ) async throws -> Outcome {
        try await database.transaction(of: Guest(caller.id)) { transaction in
            let client = try await lock(batch, caller, transaction)
            let new = batch.mutations.filter { $0.id > client.lastID }
            let fresh = isAlone ? Array(new.prefix(1)) : new
            let isWhole = fresh.count == new.count
            let (statement, parameters) = SyncStatements.become(caller)
            _ = try await transaction.query(statement, parameters)
            try await transaction.query("SET CONSTRAINTS ALL IMMEDIATE")
            let writer = SyncWriter(statements: statements, tables: tables, transaction: transaction, isAlone: isAlone)
            var outcomes = client.outcomes.filter { $0.id >= batch.mutations[0].id }
            let repeated = batch.mutations.filter { $0.id <= client.lastID }.map { mutation in
                outcomes.first { $0.id == mutation.id } ?? SyncOutcome(mutation.id, .applied)
            }
            var made: [SyncOutcome] = []
            for mutation in fresh { made.append(try await writer.apply(mutation)) }
            outcomes += made.filter { $0.status != .applied }
            let rows = isWhole ? try await writer.rows(of: batch.mutations) : [:]
            _ = try await transaction.query(SyncStatements.becomeServer, .none)
            let lastID = fresh.last?.id ?? client.lastID
            let digest = fresh.last?.digest ?? client.digest
            let kept = JSONValue.array(outcomes.map(\.json)).description
            try await transaction.query(
                """
                UPDATE swiftlet.sync_clients SET last_id = \(lastID), last_digest = \(digest), outcomes = \(kept)::jsonb,
                    seen_at = now()
                WHERE id = \(batch.client)::uuid
                """
            )
            return Outcome(
                lastID: lastID,
                outcomes: repeated + made,
                firstFresh: fresh.first?.id ?? Int.max,
                rows: rows,
                isWhole: isWhole
            )
        }
    }

    /// The tables that the batch names and sync is enabled for; those that are missing are refused one by one.
    private func tables(_ batch: SyncBatch, _ caller: SyncCaller) async throws -> [String: SyncWriter.Target] {
        var targets: [String: SyncWriter.Target] = [:]
        let names = Set(batch.mutations.map(\.table)).filter { $0.utf8.count <= 200 }
        for name in names.sorted() {
            do {
                let known = try await pull.prepare([name], caller)
                guard let part = known.names.first,
                    let definition = known.definitions["\(part.schema).\(part.table)"],
                    let facts = known.tables[definition.relation], let role = known.roles[definition.relation]
                else { continue }
                let columns = facts.columns.map(\.name).filter(role.columns.contains)
                targets[name] = SyncWriter.Target(facts: facts, shown: columns)
            } catch let error as APIError where error.status == .notFound || error.status == .forbidden {
                continue
            }
        }
        return targets
    }

    private func lock(
        _ batch: SyncBatch,
        _ caller: SyncCaller,
        _ transaction: Transaction
    ) async throws -> Client {
        let answers = try await transaction.queryAll([
            """
            INSERT INTO swiftlet.sync_clients (id, user_id) VALUES (\(batch.client)::uuid, \(caller.id))
            ON CONFLICT (id) DO NOTHING RETURNING id
            """,
            """
            SELECT user_id, last_id, last_digest, outcomes FROM swiftlet.sync_clients
            WHERE id = \(batch.client)::uuid FOR UPDATE
            """,
        ])
        guard answers.count == 2, let row = answers[1].first, let lastID = row["last_id"].flatMap({ Int($0) }) else {
            throw PostgresError.connectionLostAfterSending
        }
        guard row["user_id"] == caller.id else {
            throw APIError(.conflict, "SYNC_CLIENT_TAKEN", "The client is somebody else's.")
        }
        if answers[0].first != nil { try await forgetOldClients(of: caller, transaction) }
        let kept = row["outcomes"].flatMap { try? JSONParser.parse(Array($0.utf8)) }?.array ?? []
        let client = Client(
            lastID: lastID,
            digest: row["last_digest"] ?? "",
            outcomes: kept.compactMap { SyncOutcome($0) }
        )
        try Self.check(batch, client)
        return client
    }

    /// A client sends from the first change whose answer it has not got. Otherwise its queue, or the database, was put back
    /// to an earlier time, and the numbers mean other changes.
    private static func check(_ batch: SyncBatch, _ client: Client) throws(APIError) {
        guard let first = batch.mutations.first, let last = batch.mutations.last else { return }
        guard first.id - 1 <= client.lastID else {
            throw APIError(
                .conflict,
                "SYNC_GAP",
                "Changes before \(first.id) are missing: go on from \(client.lastID)."
            )
        }
        guard first.id <= client.lastID else { return }
        let known = batch.mutations.first { $0.id == client.lastID }
        guard last.id >= client.lastID, known?.digest == client.digest else {
            throw APIError(.conflict, "SYNC_FORKED", "Change \(client.lastID) was another one: take a new client id.")
        }
    }

    private func forgetOldClients(of caller: SyncCaller, _ transaction: Transaction) async throws(PostgresError) {
        let kept = Self.maximumClients
        try await transaction.query(
            """
            DELETE FROM swiftlet.sync_clients WHERE id IN (
                SELECT id FROM swiftlet.sync_clients WHERE user_id = \(caller.id)
                ORDER BY seen_at DESC, id OFFSET \(kept) FOR UPDATE SKIP LOCKED
            )
            """
        )
    }

    private static func json(_ answer: Outcome) -> [UInt8] {
        var json = JSONWriter(minimumCapacity: 1024)
        json.object { json in
            json.member("last_id", answer.lastID)
            json.key("results")
            json.array { json in
                for outcome in answer.outcomes {
                    json.object { json in
                        json.member("id", outcome.id)
                        json.member("status", outcome.status.rawValue)
                        json.member("duplicate", outcome.id < answer.firstFresh)
                        if outcome.status != .applied {
                            json.member("code", outcome.code)
                            json.member("message", outcome.message)
                        }
                        Self.write(answer.rows[outcome.id], into: &json)
                    }
                }
            }
        }
        return json.finish()
    }

    /// null where there is no row, nothing where none was looked for or it is too long.
    private static func write(_ row: SyncWriter.Row?, into json: inout JSONWriter) {
        switch row {
        case nil, .tooLong: break
        case SyncWriter.Row.none?:
            json.key("row")
            json.writeNull()
        case .text(let row):
            json.key("row")
            json.writeRaw(row.utf8.span)
        }
    }
}
