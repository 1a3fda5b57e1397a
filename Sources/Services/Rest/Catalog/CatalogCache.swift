import SwiftletPostgres
import Synchronization

/// The current ``Catalog``, read anew as soon as the database's schema was: after a reconnect, at a notification, after
/// a miss. While it is read, the old one serves.
final class CatalogCache: Sendable {
    private let database: Database
    private let reader: CatalogReader
    /// Two readings begin at least this far apart: requests for what does not exist must not keep PostgreSQL busy.
    private let interval: Duration
    private let state = Mutex(State())

    private typealias Reading = Task<Catalog, any Error>

    private struct State {
        var catalog: Catalog?
        /// When the reading of the catalog at hand began.
        var read: ContinuousClock.Instant?
        /// How often the database's schema had been read when this one was begun.
        var readings = -1
        var begun: ContinuousClock.Instant?
        var reading: Reading?
        /// Begins when the reading under way has ended and the interval is over.
        var next: Reading?
    }

    init(database: Database, settings: RestSettings) {
        self.database = database
        self.interval = settings.catalogInterval
        reader = CatalogReader(database: database, settings: settings)
        database.whenSchemaIsRead { [weak self] in _ = self?.nextReading() }
    }

    /// The catalog at hand; the first caller waits for it. Throws ``PostgresError``.
    func current() async throws -> Catalog {
        let readings = database.schemaReadings
        let (known, isStale) = state.withLock { ($0.catalog, $0.readings != readings) }
        guard let known else { return try await nextReading().value }
        if isStale { _ = nextReading() }
        return known
    }

    /// After a request found something missing: a catalog whose reading began later than the request. Throws
    /// ``PostgresError``.
    func afterMiss(in old: Catalog, of started: ContinuousClock.Instant) async throws -> Catalog {
        let (known, read) = state.withLock { ($0.catalog, $0.read) }
        if let known, known !== old, let read, read > started { return known }
        return try await nextReading().value
    }

    /// A reading that begins after this call. Those who ask meanwhile share it.
    private func nextReading() -> Reading {
        state.withLock { state in
            if let next = state.next { return next }
            guard state.reading != nil || isEarly(state.begun) else { return begin(&state) }
            let underWay = state.reading
            let next = Reading {
                _ = await underWay?.result
                if let begun = self.state.withLock({ $0.begun }) {
                    try await Task.sleep(until: begun + self.interval, clock: .continuous)
                }
                return try await self.state.withLock { state in
                    state.next = nil
                    return self.begin(&state)
                }.value
            }
            state.next = next
            return next
        }
    }

    private func isEarly(_ begun: ContinuousClock.Instant?) -> Bool {
        begun.map { ContinuousClock.now - $0 < self.interval } ?? false
    }

    private func begin(_ state: inout State) -> Reading {
        let readings = database.schemaReadings
        let begun = ContinuousClock.now
        let reading = Reading {
            do {
                let catalog = try await reader.read()
                self.state.withLock {
                    $0.catalog = catalog
                    $0.read = begun
                    $0.readings = readings
                    $0.reading = nil
                }
                return catalog
            } catch {
                self.state.withLock { $0.reading = nil }
                throw error
            }
        }
        state.begun = begun
        state.reading = reading
        return reading
    }
}
