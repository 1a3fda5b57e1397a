import Synchronization

/// A limit, and what each client has used of it on this server.
final class RateCounter: Sendable {
    let limit: RateLimit
    /// What it limits, the same on all servers: `POST /reports/:id`.
    let scope: String
    /// What clients read in `RateLimit`.
    let label: String
    /// The same with the quota and the window, for `RateLimit-Policy`.
    let policy: String
    private let uses = Mutex<[String: RateUse]>([:])
    /// The second in which room was made last: looking at all clients is not for each request.
    private let swept = Atomic(0)

    /// A client takes about 100 bytes.
    private static let capacity = 100_000
    /// Those who find no room count together under this name, which no client has.
    private static let crowd = "*"

    init(_ limit: RateLimit, scope: String, label: String) {
        self.limit = limit
        self.scope = scope
        self.label = label
        policy = "\"\(label)\";q=\(limit.count);w=\(limit.window.components.seconds)"
    }

    func take(_ client: String, at milliseconds: Int) -> RateVerdict {
        uses.withLock { uses in
            var client = client
            if uses.count >= Self.capacity, uses[client] == nil {
                makeRoom(&uses, milliseconds)
                if uses.count >= Self.capacity { client = Self.crowd }
            }
            return uses[client, default: RateUse()].take(limit, at: milliseconds)
        }
    }

    /// Forgets a request that was taken.
    func giveBack(_ client: String) { uses.withLock { $0[$0[client] == nil ? Self.crowd : client]?.giveBack() } }

    /// Who asks from very many addresses is not to make this server's memory grow, nor to make it forget those who are
    /// near their limit.
    private func makeRoom(_ uses: inout [String: RateUse], _ milliseconds: Int) {
        guard swept.exchange(milliseconds / 1000, ordering: .relaxed) != milliseconds / 1000 else { return }
        uses = uses.filter { $0.value.counts(limit, at: milliseconds) }
        if uses.count >= Self.capacity { uses = uses.filter { $0.value.current * 2 >= limit.count } }
    }

    // MARK: Several servers

    struct Told: Sendable, Equatable {
        var scope: String
        var client: String
        var period: Int
        var count: Int
        var windowSeconds: Int
    }

    /// What other servers have to know, at most `maximum` clients.
    func tell(maximum: Int) -> [Told] {
        uses.withLock { uses in
            var told: [Told] = []
            for client in uses.keys where told.count < maximum {
                guard let count = uses[client]?.tell(limit), let period = uses[client]?.period else { continue }
                told.append(
                    Told(
                        scope: scope,
                        client: client,
                        period: period,
                        count: count,
                        windowSeconds: limit.windowMilliseconds / 1000
                    )
                )
            }
            return told
        }
    }

    func learn(_ total: Int, of client: String, in period: Int) {
        uses.withLock { $0[client]?.learn(total: total, in: period) }
    }
}

extension RateCounter {
    /// Of a route, of which it is the one at `index`.
    convenience init(_ limit: RateLimit, of path: String, _ method: Method, _ index: Int) {
        let label = index == 0 ? "route" : "route-\(index + 1)"
        self.init(limit, scope: "\(method.rawValue) /\(path)/\(label)", label: label)
    }
}
