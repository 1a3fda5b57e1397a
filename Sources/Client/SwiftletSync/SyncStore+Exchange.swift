import Foundation
import SwiftletClient

/// The store holds rows of another user, who has to sign in again, or else ``SyncStore/clear()`` is to be called.
public struct SyncedByAnotherUser: Error, Sendable {}

/// One exchange with the server: all changes that wait, then all that is new.
///
/// Answers to changes bring the rows as they then are, so a change is never shown undone while the log of changes is read.
/// Every answer is applied in one local transaction with what it says of the queue or the cursor.
extension SyncStore {
    /// What an exchange began with. It ends with an error as soon as it is not so any more.
    private struct Beginning {
        let generation: Int
        /// Who was signed in.
        let user: String?
    }

    func exchange() async throws {
        let generation = generation
        let user = try await client.keeper.current()?.user.id
        guard generation == self.generation else { throw CancellationError() }
        try belong(to: user)
        let beginning = Beginning(generation: generation, user: user)
        while try await push(beginning) {}
        // A cursor that was given just now is not given up, or the rows would be read again and again.
        var isFirst = true
        while try await pull(beginning, mayStartAnew: isFirst) { isFirst = false }
    }

    /// The answer to a request of the exchange's user. Nothing is sent in another's name, and what comes when somebody
    /// else is signed in, or after ``clear()``, is for nobody.
    private func ask(_ endpoint: APIEndpoint, _ beginning: Beginning) async throws -> Data {
        try await check(beginning)
        let answer: Result<Data, any Error>
        do {
            answer = .success(try await client.requestData(endpoint, as: beginning.user))
        } catch {
            answer = .failure(error)
        }
        try await check(beginning)
        return try answer.get()
    }

    private func check(_ beginning: Beginning) async throws {
        let user = try await client.keeper.current()?.user.id
        guard beginning.generation == generation else { throw CancellationError() }
        guard user != beginning.user else { return }
        if user == nil || beginning.user == nil { throw APIError.unauthorized }
        throw SyncedByAnotherUser()
    }

    /// A copy belongs to whom it was made for.
    private func belong(to user: String?) throws {
        guard let user else {
            if try local.state("user") != nil { throw APIError.unauthorized }
            return
        }
        if let owner = try local.state("user"), owner != user { throw SyncedByAnotherUser() }
        try local.setState("user", user)
    }

    private func endpoint(
        _ method: APIEndpoint.Method,
        _ path: String,
        _ query: [URLQueryItem] = [],
        isSignedIn: Bool
    ) -> APIEndpoint {
        var endpoint = APIEndpoint(method, path, query: query, requiresAuth: isSignedIn, repetition: .safe)
        if !isSignedIn, let key = client.configuration.apiKey { endpoint.headers["Authorization"] = "Bearer \(key)" }
        return endpoint
    }

    private var names: String { tables.keys.sorted().joined(separator: ",") }

    // MARK: - Changes

    /// Sends the front of the queue. False when it is empty.
    private func push(_ beginning: Beginning) async throws -> Bool {
        let waiting = try local.mutations("ORDER BY id LIMIT \(Self.batchLength)")
        var batch: [LocalRows.Mutation] = []
        var bytes = 0
        for mutation in waiting where batch.isEmpty || bytes + mutation.content.utf8.count <= Self.maximumChangeBytes {
            guard batch.count == 0 || batch[batch.count - 1].id + 1 == mutation.id else { break }
            batch.append(mutation)
            bytes += mutation.content.utf8.count
        }
        guard !batch.isEmpty else { return false }
        var body = RawRow()
        body["client_id"] = RawJSON.quoted(try local.clientID())
        let list = batch.map { mutation in
            var content = RawRow(mutation.content) ?? RawRow()
            content["id"] = String(mutation.id)
            return content.text
        }
        body["mutations"] = "[\(list.joined(separator: ","))]"
        var endpoint = endpoint(.post, "/realtime/v1/sync", isSignedIn: beginning.user != nil)
        endpoint.body = .data(Data(body.text.utf8), contentType: "application/json")
        let data: Data
        do {
            data = try await ask(endpoint, beginning)
        } catch APIError.conflict(let refusal)
            where ["SYNC_GAP", "SYNC_FORKED", "SYNC_CLIENT_TAKEN"].contains(refusal.code ?? "")
        {
            // This queue or the server's database was put back to an earlier time.
            try local.renumber()
            return true
        }
        try apply(try PushAnswer(data), to: batch)
        return true
    }

    private func apply(_ answer: PushAnswer, to batch: [LocalRows.Mutation]) throws {
        let sent = Dictionary(batch.map { ($0.id, $0) }) { $1 }
        guard Set(answer.results.map(\.id)) == Set(sent.keys) else {
            throw APIError.decoding("the answer is about other changes")
        }
        var changed: Set<Watchers.Subject> = []
        try local.transaction {
            for result in answer.results {
                guard let mutation = sent[result.id] else { continue }
                try local.database.run("DELETE FROM mutations WHERE id = ?", .integer(mutation.id))
                changed.insert(.table(mutation.table))
                if result.status != "applied" {
                    let present = result.tellsRow ? result.row : try local.base(mutation.table, mutation.key)
                    try local.report(mutation, result, present)
                    changed.insert(.conflicts)
                }
                if result.tellsRow { try keep(result.row, of: mutation) }
                try local.showAgain(mutation.table, mutation.key)
            }
        }
        watchers.tell(changed)
    }

    private func keep(_ row: String?, of mutation: LocalRows.Mutation) throws {
        guard let row, let key = RawRow(row).flatMap({ tables[mutation.table]?.key(of: $0)?.text }) else {
            return try local.setBase(mutation.table, mutation.key, nil)
        }
        // The server may write the key in another way than the app.
        if key != mutation.key { try local.setBase(mutation.table, mutation.key, nil) }
        try local.setBase(mutation.table, key, row)
    }

    // MARK: - Rows

    /// Applies one answer. False when there is no more.
    private func pull(_ beginning: Beginning, mayStartAnew: Bool) async throws -> Bool {
        let cursor = try local.state("cursor")
        var query = [URLQueryItem(name: "tables", value: names)]
        if let cursor { query.append(URLQueryItem(name: "since", value: cursor)) }
        let endpoint = endpoint(.get, "/realtime/v1/sync", query, isSignedIn: beginning.user != nil)
        let data: Data
        do {
            data = try await ask(endpoint, beginning)
        } catch APIError.refused(let refusal)
            where (refusal.code == "INVALID_CURSOR" || refusal.status == 414) && cursor != nil
        {
            try local.setState("cursor", nil)
            guard mayStartAnew else { throw APIError.refused(refusal) }
            return true
        }
        let answer = try PullAnswer(data)
        try local.transaction {
            for told in answer.tables {
                guard let table = tables[told.name] else { continue }
                if told.resets { try local.beginReading(table.name) }
                for row in told.upserts {
                    if let key = table.key(of: row) { try local.setBase(table.name, key.text, row.text) }
                }
                for row in told.deletes {
                    if let key = table.key(of: row) { try local.setBase(table.name, key.text, nil) }
                }
                if told.isComplete { try local.endReading(table.name) }
            }
            try local.setState("cursor", answer.cursor)
        }
        watchers.tell(Set(answer.tables.map { .table($0.name) }))
        return answer.hasMore
    }

    // MARK: - Following

    /// Synchronizes now and whenever something has changed, here or there, until the task is cancelled. What goes wrong is
    /// in ``problem``, and tried again: after half a second, then longer, up to half a minute.
    public func run() async {
        var failures = 0
        while !Task.isCancelled {
            // A stream ends for good when a task that waits for it is cancelled, so each round has its own; from before the
            // queue is read, so that it misses nothing.
            let queue = watchers.watch(.queue)
            do {
                try await synchronize()
                (failures, problem) = (0, nil)
                await waitForWork(queue)
            } catch {
                if Task.isCancelled { return }
                failures += 1
                problem = error
                let longest = min(30, 0.5 * Double(1 << min(failures - 1, 6)))
                try? await client.configuration.retry.sleep(Double.random(in: longest / 2...longest))
            }
        }
    }

    private func waitForWork(_ queue: AsyncStream<Void>) async {
        let wait = try? waiting()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in queue { break } }
            group.addTask { [client] in
                // An error shows in the exchange that follows; it is not asked for at once.
                if let wait, (try? await client.requestData(wait.endpoint, as: wait.user)) != nil { return }
                try? await client.configuration.retry.sleep(1)
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Is answered when there is something new, or after a while.
    private func waiting() throws -> (endpoint: APIEndpoint, user: String?) {
        let user = try local.state("user")
        let query = [
            URLQueryItem(name: "tables", value: names), URLQueryItem(name: "since", value: try local.state("cursor")),
            URLQueryItem(name: "seconds", value: "20"),
        ]
        return (endpoint(.get, "/realtime/v1/sync/wait", query, isSignedIn: user != nil), user)
    }
}
