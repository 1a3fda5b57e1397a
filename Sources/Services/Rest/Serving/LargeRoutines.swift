import SwiftletPostgres
import Synchronization

/// The functions whose answers were too large lately to be made as a whole: they are sent row by row at once, and need not
/// run for the size of their answer alone. As many as were called lately; a new catalog makes them unknown.
final class LargeRoutines: Sendable {
    private struct Key: Hashable {
        let identifier: String
        /// Row policies may leave others less.
        let role: String
    }

    private struct State {
        var catalog: RestCatalog?
        var known = RecentlyUsed<Key, Bool>(limit: 256)
    }

    private let state = Mutex(State())

    func contains(_ routine: Routine, role: String, in catalog: RestCatalog) -> Bool {
        state.withLock { state in
            state.catalog === catalog
                && state.known.use(Key(identifier: routine.identifier, role: role)) == true
        }
    }

    func note(_ routine: Routine, isLarge: Bool, role: String, in catalog: RestCatalog) {
        state.withLock { state in
            if state.catalog !== catalog { state = State(catalog: catalog) }
            state.known.add(isLarge, Key(identifier: routine.identifier, role: role))
        }
    }
}
