package import Logging
package import SwiftletEventLoop
package import SwiftletPostgres
package import SwiftletWeb

/// The changes of rows on this server: read in its turn, logged, and told to whom may see them.
package final class RowChanges: Sendable {
    package let hub: ChangeHub
    /// nil where this server only tells what others read.
    private let reader: ChangeReader?
    let database: Database

    /// Without settings, as behind a pooler, this server does not read itself.
    package init(_ settings: ChangeSettings?, database: Database, on loop: EventLoop, logger: Logger) {
        self.database = database
        let hub = ChangeHub(database: database, logger: logger)
        self.hub = hub
        reader = settings.map { settings in
            ChangeReader(settings, database: database, on: loop, logger: logger) { hub.look() }
        }
        hub.onNotification { [reader] in reader?.look() }
        if let reader { hub.expectReading { reader.isExpectedToRead } }
    }

    /// `GET /realtime/v1/changes`, and `/realtime/v1/sync`.
    package var routes: [Route] { [ChangeEvents(hub: hub).route] + SyncRoutes(database: database, hub: hub).routes }

    /// nil where this server does not read.
    package var condition: ChangeReader.Condition? { reader?.condition }

    /// Works until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.hub.run() }
            if let reader { group.addTask { await reader.run() } }
        }
    }
}
