import SwiftletJSON
import SwiftletPostgres

/// Decides what a page of changes is to each of several subscribers.
struct ChangeEvaluator: Sendable {
    let catalog: VisibleTables
    let visibility: VisibilityQuery

    /// What one caller sees of the images in a page, by their numbers; those of others are missing.
    private struct Sight {
        let facts: RoleFacts
        var visible: Set<Int> = []

        func sees(_ image: Int) -> Bool { !facts.isSecured || visible.contains(image) }
    }

    private struct SightKey: Hashable {
        let relation: UInt32
        let caller: ChangeCaller
    }

    struct Receiver: Sendable {
        let subscriber: ChangeSubscriber
        let caller: ChangeCaller
        let mark: ChangeSubscriber.LiveMark
    }

    /// The deliveries of each receiver, in the order of the changes.
    func deliveries(
        of changes: [LoggedChange],
        to receivers: [Receiver]
    ) async throws(PostgresError) -> [[ChangeDelivery]] {
        var deliveries: [[ChangeDelivery]] = receivers.map { _ in [] }
        guard !receivers.isEmpty, !changes.isEmpty else { return deliveries }
        let tables = try await catalog.tables(Set(changes.map(\.relation)))
        let interested = tables.mapValues { table in
            receivers.indices.filter { receivers[$0].subscriber.requests.contains { $0.concerns(table) } }
        }
        let sights = try await sights(of: changes, receivers, tables, interested)
        var encoder = ChangeEncoder()
        for (number, change) in changes.enumerated() {
            guard let table = tables[change.relation] else { continue }
            encoder.begin(change, table)
            for index in interested[change.relation] ?? [] {
                let key = SightKey(relation: change.relation, caller: receivers[index].caller)
                guard let sight = sights[key], !sight.facts.columns.isEmpty,
                    let (kind, showsOld) = Self.kind(of: change, number, sight)
                else { continue }
                let row = kind == .delete ? change.old : change.new
                let matching = receivers[index].subscriber.requests.filter { request in
                    request.concerns(table) && request.events.contains(kind) && row.map(request.filter.passes) ?? false
                }
                // Those that select different columns get messages of their own.
                for (select, requests) in Self.groups(matching) {
                    let data = encoder.data(kind, showsOld: showsOld, sight.facts, role: key.caller.role, select)
                    deliveries[index].append(
                        .change(change.position, kind: kind.rawValue, ids: requests.map(\.id), data: data)
                    )
                }
            }
        }
        return deliveries
    }

    private static func groups(_ requests: [BoundRequest]) -> [(select: [String]?, requests: [BoundRequest])] {
        guard let first = requests.first else { return [] }
        if requests.dropFirst().allSatisfy({ $0.select == first.select }) { return [(first.select, requests)] }
        var groups: [(select: [String]?, requests: [BoundRequest])] = []
        for request in requests {
            if let index = groups.firstIndex(where: { $0.select == request.select }) {
                groups[index].requests.append(request)
            } else {
                groups.append((request.select, [request]))
            }
        }
        return groups
    }

    /// What the change is to somebody with this sight; nil when it is nothing. `showsOld` says whether the old row may be
    /// told, and not only its key.
    private static func kind(
        of change: LoggedChange,
        _ number: Int,
        _ sight: Sight
    ) -> (kind: ChangeKind, showsOld: Bool)? {
        let seesOld = sight.facts.isSecured ? change.oldIsWhole && sight.sees(Self.oldImage(number)) : true
        switch change.operation {
        case .insert: return sight.sees(newImage(number)) ? (.insert, false) : nil
        case .update:
            if sight.sees(newImage(number)) { return (.update, seesOld) }
            return seesOld ? (.delete, false) : nil
        case .delete: return seesOld ? (.delete, !sight.facts.isSecured) : nil
        case .truncate: return nil
        }
    }

    private static func newImage(_ number: Int) -> Int { number * 2 }
    private static func oldImage(_ number: Int) -> Int { number * 2 + 1 }

    // MARK: - What callers see

    private func sights(
        of changes: [LoggedChange],
        _ receivers: [Receiver],
        _ tables: [UInt32: TableFacts],
        _ interested: [UInt32: [Int]]
    ) async throws(PostgresError) -> [SightKey: Sight] {
        var images: [UInt32: [(number: Int, row: JSONObject)]] = [:]
        for (number, change) in changes.enumerated() where tables[change.relation] != nil {
            if let new = change.new { images[change.relation, default: []].append((Self.newImage(number), new)) }
            if let old = change.old, change.oldIsWhole {
                images[change.relation, default: []].append((Self.oldImage(number), old))
            }
        }
        var wanted: [SightKey: (table: TableFacts, images: [(number: Int, row: JSONObject)])] = [:]
        for (relation, table) in tables {
            let rows = images[relation] ?? []
            for index in interested[relation] ?? [] {
                // Rows that no filter of the caller's subscriptions lets through are not asked about.
                let key = SightKey(relation: relation, caller: receivers[index].caller)
                let requests = receivers[index].subscriber.requests.filter { $0.concerns(table) }
                let numbers = Set(wanted[key]?.images.map(\.number) ?? [])
                let passing = rows.filter { image in
                    !numbers.contains(image.number) && requests.contains { $0.filter.passes(image.row) }
                }
                wanted[key, default: (table, [])].images += passing
            }
        }
        do {
            return try await withThrowingTaskGroup(of: (SightKey, Sight).self) { group in
                for (key, wish) in wanted {
                    group.addTask { (key, try await sight(of: key.caller, wish.table, wish.images)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        } catch let error as PostgresError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    private func sight(
        of caller: ChangeCaller,
        _ table: TableFacts,
        _ images: [(number: Int, row: JSONObject)]
    ) async throws(PostgresError) -> Sight {
        let facts = try await catalog.facts(of: caller.role, on: table)
        var sight = Sight(facts: facts)
        guard facts.isSecured, !facts.columns.isEmpty, !images.isEmpty else { return sight }
        let visible = try await visibility.visible(images.map(\.row), of: table, facts, to: caller)
        for (image, isVisible) in zip(images, visible) where isVisible { sight.visible.insert(image.number) }
        return sight
    }
}
