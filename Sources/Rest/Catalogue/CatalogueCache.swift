import Postgres
import Synchronization

/// The current ``Catalogue``, read anew when the database's schema was: after a reconnect, at a notification, after a
/// miss. While it is read, the old one serves.
final class CatalogueCache: Sendable {
    /// After a miss, one that is younger is not read again: requests for what does not exist must not keep PostgreSQL
    /// busy.
    private static let freshness = Duration.milliseconds(500)

    private let database: Database
    private let reader: CatalogueReader
    private let state = Mutex(State())

    private struct State {
        var catalogue: Catalogue?
        /// How often the database's schema had been read when this one was begun.
        var readings = -1
        var begun: ContinuousClock.Instant?
        var reading: Task<Catalogue, any Error>?
    }

    init(database: Database, schemas: [String]) {
        self.database = database
        reader = CatalogueReader(database: database, schemas: schemas)
    }

    /// The catalogue at hand; the first caller waits for it. Throws ``PostgresError``.
    func current() async throws -> Catalogue {
        let readings = database.schemaReadings
        let (known, isStale) = state.withLock { ($0.catalogue, $0.readings != readings) }
        guard let known else { return try await read().value }
        if isStale { _ = read() }
        return known
    }

    /// After something was not found in `old`: a newer catalogue, unless there is none. Throws ``PostgresError``.
    func afterMiss(in old: Catalogue) async throws -> Catalogue? {
        let (known, begun) = state.withLock { ($0.catalogue, $0.begun) }
        if let known, known !== old { return known }
        if let begun, ContinuousClock.now - begun < Self.freshness { return nil }
        return try await read().value
    }

    /// The reading in progress, or a new one.
    private func read() -> Task<Catalogue, any Error> {
        let readings = database.schemaReadings
        return state.withLock { state in
            if let reading = state.reading { return reading }
            let reading = Task {
                do {
                    let catalogue = try await reader.read()
                    self.state.withLock {
                        $0.catalogue = catalogue
                        $0.readings = readings
                        $0.reading = nil
                    }
                    return catalogue
                } catch {
                    self.state.withLock { $0.reading = nil }
                    throw error
                }
            }
            state.begun = .now
            state.reading = reading
            return reading
        }
    }
}
