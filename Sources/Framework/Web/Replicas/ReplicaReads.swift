package import SwiftletAuth
package import SwiftletPostgres

/// Reads on replicas, for those who carry the position of their last write in `X-Swiftlet-Position`.
///
/// Who sends none may have written a moment ago without saying so, and reads from the primary.
package struct ReplicaReads: Sendable {
    package let set: ReplicaSet
    let tokens: PositionToken

    /// All servers of a database have the same `secret`, of at least 32 bytes.
    package init(_ set: ReplicaSet, secret: Secret) throws(KeyError) {
        self.set = set
        tokens = try PositionToken(secret)
    }

    /// nil for a request that carries no position.
    func placement(of request: Request, readsPrimary: Bool) -> ReadPlacement? {
        guard let text = request.header(.xSwiftletPosition) else { return nil }
        return ReadPlacement(self, tokens.position(text), isRead: request.isRead, readsPrimary: readsPrimary)
    }

    var metrics: String {
        let figures = set.figures
        var text = """
            # HELP swiftlet_replica_up Whether a replica takes reads.
            # TYPE swiftlet_replica_up gauge

            """
        for (index, figure) in figures.enumerated() {
            text += "swiftlet_replica_up{replica=\"\(index)\",standing=\"\(figure.standing.rawValue)\"} "
            text += figure.standing == .following ? "1\n" : "0\n"
        }
        text += """
            # HELP swiftlet_replica_lag_seconds How much older a replica's state is than the primary's.
            # TYPE swiftlet_replica_lag_seconds gauge

            """
        for (index, figure) in figures.enumerated() {
            guard let lag = figure.lag else { continue }
            let seconds = Double(lag.components.seconds) + Double(lag.components.attoseconds) / 1e18
            text += "swiftlet_replica_lag_seconds{replica=\"\(index)\"} \(seconds)\n"
        }
        text += """
            # HELP swiftlet_replica_reads_total Reads that a replica has answered.
            # TYPE swiftlet_replica_reads_total counter

            """
        for (index, figure) in figures.enumerated() {
            text += "swiftlet_replica_reads_total{replica=\"\(index)\"} \(figure.reads)\n"
        }
        return text + """
            # HELP swiftlet_replica_fallbacks_total Reads of callers with a position that went to the primary.
            # TYPE swiftlet_replica_fallbacks_total counter
            swiftlet_replica_fallbacks_total \(set.totalFallbacks)

            """
    }
}

extension Headers.Name {
    static var xSwiftletPosition: Self { "X-Swiftlet-Position" }
}
