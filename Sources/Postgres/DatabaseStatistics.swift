/// Counts of one loop's connections at one moment. Totals only grow.
package struct DatabaseStatistics: Hashable, Sendable {
    package var connectionsUp = 0
    package var connections = 0
    /// Connections that a transaction or a slow query has to itself.
    package var leased = 0
    package var inFlight = 0
    package var waiting = 0
    package var totalQueries = 0
    /// Queries that had to wait for a connection.
    package var totalWaited = 0
    package var totalOverloaded = 0
    /// Reads that were asked again: after a neighbour's error, a lost connection, or behind a slow query.
    package var totalRepeated = 0
    package var totalConnectionsLost = 0

    package init() {}
}
