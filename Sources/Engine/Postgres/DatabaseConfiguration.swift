/// How to reach the database and how much of it to use. Read once, at the start.
package struct DatabaseConfiguration: Sendable {
    /// `DATABASE_URL`: a libpq URI or `key=value` text; several hosts allowed.
    package var url: String
    /// `DATABASE_CONNECTIONS`: total over all loops, of which each loop has at least two; nil means four per loop.
    /// Listening for schema changes takes one more.
    package var connections: Int?
    /// `DATABASE_PREPARED=off` makes this false: nothing is prepared by name and nothing is set at connection start
    /// that a transaction pooler refuses. Without ``directURL``, schema changes are then noticed only when a query fails
    /// because of them.
    package var isPrepared = true
    /// `DATABASE_DIRECT_URL`: the way past a pooler, to a session that is one's own. Listened in.
    package var directURL: String?
    var isBehindPooler: Bool { !isPrepared }
    /// Whether it is a standby, from which the schema is not read, and where nobody can listen.
    package var isReplica = false
    /// Schemas whose tables are read, in order of precedence.
    package var schemas = ["public"]
    /// How far apart two readings of the catalog begin at least: requests for what does not exist must not keep PostgreSQL
    /// busy. So long may the refusal of an unknown name take.
    package var catalogInterval: Duration = .milliseconds(500)
    /// The server cancels a statement that runs longer. Not set behind a transaction pooler.
    package var statementTimeout: Duration = .seconds(20)
    /// The server cancels a statement that waits longer for a lock, so that one locked table does not occupy every
    /// connection. Outside a transaction it is then retried once. Not set behind a transaction pooler.
    package var lockTimeout: Duration = .seconds(2)
    /// From the call to its result, including every wait and retry.
    package var queryTimeout: Duration = .seconds(25)
    /// A connection that still has not answered so long after `queryTimeout` is closed.
    package var answerGrace: Duration = .seconds(5)
    /// Longest wait for a connection that is up but busy.
    package var waitTimeout: Duration = .seconds(5)
    /// For one attempt to connect, over all hosts.
    package var connectTimeout: Duration = .seconds(5)
    /// How long queries still wait after the last connection was lost; from then on they fail at once.
    package var outageGrace: Duration = .milliseconds(250)
    /// A server that answers on none of a loop's connections for so long counts as lost. Longer than `lockTimeout`.
    package var silenceLimit: Duration = .seconds(3)
    /// Queries of one loop that may wait for a connection.
    package var maximumWaiters = 1024
    /// Statements in flight on one connection.
    package var maximumDepth = 128
    /// The same behind a transaction pooler, where a batch is sent only when the one before it is over. PgBouncer lends
    /// the server's connection to another client as soon as a batch ends, even though it has passed on half of the next
    /// one: its answers would reach whoever comes next.
    var depthLimit: Int { isPrepared ? maximumDepth : 1 }

    static let connectionsPerLoop = 5

    package init(url: String, connections: Int? = nil) {
        self.url = url
        self.connections = connections
    }
}

extension DatabaseConfiguration: CustomStringConvertible, CustomReflectable {
    /// Without the URL, which holds the password.
    package var description: String {
        "DatabaseConfiguration(connections: \(connections.map(String.init) ?? "default"))"
    }

    package var customMirror: Mirror { Mirror(self, children: ["connections": connections as Any]) }
}
