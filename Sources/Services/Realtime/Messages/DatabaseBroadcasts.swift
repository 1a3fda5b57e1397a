import Logging
import SwiftletPostgres
import Synchronization

/// Takes what is stored in `realtime.messages` to its rooms. Every server does so by itself.
final class DatabaseBroadcasts: Sendable {
    private static let maximumAtOnce = 200
    /// So many may be missed while the connection is down.
    private static let maximumMissed = 1000
    private static let rememberedIDs = 4096

    private let messages: StoredMessages
    private let hub: RoomHub
    private let logger: Logger

    private let waiting = Mutex(Waiting())
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    private struct Waiting {
        var ids: [String] = []
        var hasReconnected = false
    }

    init(_ database: Database, _ hub: RoomHub, _ logger: Logger) {
        messages = StoredMessages(database: database)
        self.hub = hub
        self.logger = logger
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Until the task is cancelled.
    func run() async {
        let listening = messages.database.listen(to: "swiftlet_messages") { [weak self] id in
            self?.waiting.withLock { waiting in
                if let id { waiting.ids.append(id) } else { waiting.hasReconnected = true }
            }
            self?.waker.yield()
        }
        defer { listening?.close() }
        var recent = RecentIDs(limit: Self.rememberedIDs)
        var lastSeen: String?
        for await _ in wake {
            do {
                if waiting.withLock({ $0.hasReconnected.take() }) { try await catchUp(&lastSeen) }
                while let ids = next() {
                    let new = ids.filter { recent.insert($0) }
                    let found = try await messages.find(new)
                    hub.receive(found.map(\.delivery))
                    lastSeen = max(lastSeen ?? "", found.map(\.insertedAt).max() ?? "")
                }
            } catch {
                if Task.isCancelled { return }
                logger.warning("broadcasts from the database are lost", metadata: ["cause": "\(error)"])
            }
        }
    }

    /// What was stored while nobody listened.
    private func catchUp(_ lastSeen: inout String?) async throws {
        guard let last = lastSeen else {
            lastSeen = try await messages.now()
            return
        }
        let missed = try await messages.ids(after: last, limit: Self.maximumMissed)
        waiting.withLock { $0.ids = missed + $0.ids }
    }

    private func next() -> [String]? {
        waiting.withLock { waiting in
            guard !waiting.ids.isEmpty else { return nil }
            let batch = Array(waiting.ids.prefix(Self.maximumAtOnce))
            waiting.ids.removeFirst(batch.count)
            return batch
        }
    }
}

/// The last ids, so that none is delivered twice.
private struct RecentIDs {
    private let limit: Int
    private var all: Set<String> = []
    private var order: [String] = []
    private var oldest = 0

    init(limit: Int) { self.limit = limit }

    /// False for one that is known.
    mutating func insert(_ id: String) -> Bool {
        guard all.insert(id).inserted else { return false }
        if order.count < limit {
            order.append(id)
        } else {
            all.remove(order[oldest])
            order[oldest] = id
            oldest = (oldest + 1) % limit
        }
        return true
    }
}

extension Bool {
    /// Sets it back.
    fileprivate mutating func take() -> Bool {
        defer { self = false }
        return self
    }
}
