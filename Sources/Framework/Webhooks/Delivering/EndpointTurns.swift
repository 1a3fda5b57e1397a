import Synchronization

/// How many deliveries to a slow endpoint run at once on this server, so that they leave room for other jobs.
final class EndpointTurns: Sendable {
    private let turns = Mutex<[Int: EndpointTurn]>([:])

    /// nil for a delivery that may begin, which has to end; else when to come again.
    func begin(_ endpoint: Int) -> Duration? { turns.withLock { $0[endpoint, default: EndpointTurn()].begin() } }

    func end(_ endpoint: Int, after milliseconds: Int) {
        turns.withLock { turns in
            turns[endpoint]?.end(after: milliseconds)
            if turns[endpoint]?.isIdle == true { turns[endpoint] = nil }
        }
    }
}

/// One endpoint as this server sees it.
struct EndpointTurn: Sendable {
    /// Up to which nobody has to wait.
    private static let quick = 1_000
    private static let slowAtOnce = 4
    private static let longestWait = 600_000

    private var running = 0
    private var waiting = 0
    /// Milliseconds, of the last deliveries.
    private var usual = 0

    var isIdle: Bool { running == 0 && waiting == 0 && usual < Self.quick }

    /// Those that have to wait come one after the other, as fast as the endpoint takes them.
    mutating func begin() -> Duration? {
        guard usual >= Self.quick, running >= Self.slowAtOnce else {
            running += 1
            waiting = max(0, waiting - 1)
            return nil
        }
        waiting += 1
        return .milliseconds(min(usual * (1 + waiting / Self.slowAtOnce), Self.longestWait))
    }

    mutating func end(after milliseconds: Int) {
        running = max(0, running - 1)
        usual = (usual + min(milliseconds, 60_000)) / 2
    }
}
