/// What the connections of one loop know together about statements. Belongs to the loop's thread.
final class KnownStatements {
    /// How long each takes.
    var history = ShapeHistory()
    /// Statements prepared under an older generation are prepared again at their next use.
    private(set) var generation: UInt32 = 0

    func forgetPrepared() { generation &+= 1 }
}
