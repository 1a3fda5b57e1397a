import SwiftletJSON
import SwiftletPostgres

/// Which images of rows in a page of the log the caller may see. Used within the caller's transaction.
struct SyncSight {
    /// Images in one statement.
    private static let maximumImages = 200
    private static let savepoint: SQL = "SAVEPOINT swiftlet_sync"
    private static let undo: SQL = "ROLLBACK TO SAVEPOINT swiftlet_sync"

    let statements: SyncStatements
    let known: SyncPull.Prepared
    private var new: Set<Int> = []
    private var old: Set<Int> = []
    /// Tables of which cannot be said what was seen of them: truncated, of key images only, with an image that cannot be
    /// read or lacks what the policy reads, as generated columns, or with a policy that failed.
    private var unclear: Set<UInt32> = []
    /// Tables of which the caller sees a change.
    private var changed: Set<UInt32> = []
    /// Tables that have changed, whether the caller sees it or not.
    private var touched: Set<UInt32> = []

    init(statements: SyncStatements, known: SyncPull.Prepared, unreadable: Set<UInt32>) {
        self.statements = statements
        self.known = known
        unclear = unreadable
        touched = unreadable
    }

    func sawNew(_ number: Int) -> Bool { new.contains(number) }
    func sawOld(_ number: Int) -> Bool { old.contains(number) }

    /// Whether the table must be read from its start.
    func mustReset(_ table: SyncTable) -> Bool {
        unclear.contains(table.facts.relation) || !touched.isDisjoint(with: table.declared)
            || table.dependencies.contains { changed.contains($0) || unclear.contains($0) }
    }

    mutating func look(at changes: [LoggedChange], _ transaction: Transaction) async throws {
        var images: [UInt32: [(number: Int, isNew: Bool, row: JSONObject)]] = [:]
        for (number, change) in changes.enumerated() {
            touched.insert(change.relation)
            guard change.operation != .truncate, change.operation == .insert || change.oldIsWhole else {
                unclear.insert(change.relation)
                continue
            }
            if let row = change.new { images[change.relation, default: []].append((number, true, row)) }
            if let row = change.old { images[change.relation, default: []].append((number, false, row)) }
        }
        for (relation, images) in images {
            guard let table = known.tables[relation], let role = known.roles[relation] else {
                unclear.insert(relation)
                continue
            }
            var start = 0
            while start < images.count {
                let part = images[start..<min(images.count, start + Self.maximumImages)]
                for index in try await visible(part.map(\.row), table, role, transaction) where index < part.count {
                    let image = part[start + index]
                    if image.isNew { new.insert(image.number) } else { old.insert(image.number) }
                    changed.insert(relation)
                }
                start += Self.maximumImages
            }
        }
    }

    private mutating func visible(
        _ rows: [JSONObject],
        _ table: TableFacts,
        _ role: RoleFacts,
        _ transaction: Transaction
    ) async throws -> [Int] {
        guard role.isSecured else { return Array(rows.indices) }
        guard let condition = role.condition else { return [] }
        guard rows.allSatisfy({ role.readColumns.areIn($0) }) else {
            unclear.insert(table.relation)
            return []
        }
        var parameters = Parameters()
        parameters.append(JSONValue.array(rows.map { .object($0) }).description)
        try await transaction.query(Self.savepoint)
        do throws(PostgresError) {
            let found = try await transaction.texts(statements.images(of: table, condition), parameters)
            return found.compactMap { $0[0].flatMap { Int($0) }.map { $0 - 1 } }
        } catch {
            guard error.isVerdict else { throw error }
            try await transaction.query(Self.undo)
            unclear.insert(table.relation)
            return []
        }
    }
}
