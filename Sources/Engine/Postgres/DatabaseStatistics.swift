/// Figures of one loop's pool at one moment. Totals only grow.
package struct DatabaseStatistics: Hashable, Sendable {
    package var connectionsUp = 0
    /// Connections that get nothing more until they are idle, see ``PlacementPolicy/Place/isHeld``.
    package var held = 0
    package var inFlight = 0
    package var waiting = 0
    /// Queries that were refused because too many waited, or after they had waited for too long.
    package var totalOverloaded = 0
    /// Queries that were sent again: reads after another statement's error in their batch, a lost connection, or behind
    /// a slow query; also changes that had no effect, as after a lock timeout.
    package var totalRetried = 0
    package var totalConnectionsLost = 0

    package init() {}
}
