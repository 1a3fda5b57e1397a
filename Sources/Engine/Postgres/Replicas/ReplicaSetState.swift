package import SwiftletEventLoop

/// What a server knows of its replicas, and to which of them a read may go: what happens comes in, what to tell comes
/// out, and the clock is the caller's.
///
/// A replica is known by what it last said it had replayed, which it can only have gone on from. It serves the reads of
/// those whose last write is before that, while it is no further behind the primary than ``Limits/lag``.
package struct ReplicaSetState: Sendable {
    package struct Limits: Sendable {
        /// How far behind the primary a replica may be that serves reads.
        package var lag: Duration = .seconds(10)
        /// How long a replica counts that says nothing, beside the time between two questions.
        package var silence: Duration = .seconds(3)
        /// How often replicas are asked while reads may go to them, and how often else.
        package var attentiveInterval: Duration = .milliseconds(100)
        package var idleInterval: Duration = .seconds(5)
        /// For how long after a read they are asked often.
        package var attention: Duration = .seconds(10)

        package init() {}
    }

    package enum Event: Sendable {
        /// The primary's answer to a question that was asked at `askedAt`: all that it had made durable then.
        case primaryIsAt(WritePosition, askedAt: LoopInstant)
        /// What a replica has replayed; nil if it is no standby.
        case replicaIsAt(Int, WritePosition?)
        /// A replica did not answer, or a connection to it broke: another server may be at its address now.
        case replicaFailed(Int)
        /// A read that was sent to a replica at `sentAt` took too long.
        case readTookTooLong(Int, sentAt: LoopInstant)
        /// A replica was found to be behind what it was known to have.
        case replicaIsBehind(Int)
    }

    private struct Replica {
        var standing = ReplicaStanding.unknown
        /// What it has replayed for certain.
        var replayed: WritePosition?
        var isStandby = true
        var hasFailed = false
        var heardAt = LoopInstant.distantPast
        /// When the primary was last asked that had nothing then which the replica lacks now.
        var currentAt: LoopInstant?
    }

    private let limits: Limits
    private var replicas: [Replica]
    /// What the primary had, and when: the oldest first.
    private var samples: [(position: WritePosition, at: LoopInstant)] = []
    private var lastReadAt = LoopInstant.distantPast
    private var next = 0

    private static let maximumSamples = 256

    package init(count: Int, limits: Limits = Limits()) {
        self.limits = limits
        replicas = Array(repeating: Replica(), count: count)
    }

    // MARK: - What happens

    /// Returns what has changed for the operator.
    package mutating func take(_ event: Event, at now: LoopInstant) -> [ReplicaEvent] {
        switch event {
        case .primaryIsAt(let position, let askedAt):
            primaryIsAt(position, askedAt)
        case .replicaIsAt(let index, let position):
            replicas[index].heardAt = now
            replicas[index].hasFailed = false
            replicas[index].isStandby = position != nil
            replicas[index].replayed = position
        case .replicaFailed(let index):
            replicas[index].hasFailed = true
            forget(index)
        case .readTookTooLong(let index, let sentAt):
            // One that has answered meanwhile is alive: it was the statement that was slow.
            if replicas[index].heardAt <= sentAt {
                replicas[index].hasFailed = true
                forget(index)
            }
        case .replicaIsBehind(let index):
            forget(index)
        }
        return look(at: now)
    }

    private mutating func primaryIsAt(_ position: WritePosition, _ askedAt: LoopInstant) {
        // Another history begins: what replicas had of the former one proves nothing until they are on the new one.
        if let last = samples.last, last.position.timeline != position.timeline { samples = [] }
        if samples.last?.position == position {
            samples[samples.count - 1].at = askedAt
        } else {
            samples.append((position, askedAt))
        }
        // Every other one of the older half goes, so that old moments stay, more coarsely.
        guard samples.count > Self.maximumSamples else { return }
        let older = samples.prefix(samples.count / 2).enumerated().filter { $0.offset.isMultiple(of: 2) }
        samples.replaceSubrange(..<(samples.count / 2), with: older.map(\.element))
    }

    private mutating func forget(_ index: Int) {
        replicas[index].replayed = nil
        replicas[index].currentAt = nil
    }

    /// Judges every replica anew.
    package mutating func look(at now: LoopInstant) -> [ReplicaEvent] {
        var events: [ReplicaEvent] = []
        for index in replicas.indices {
            if let replayed = replicas[index].replayed,
                let sample = samples.last(where: { replayed.includes($0.position) })
            {
                replicas[index].currentAt = max(sample.at, replicas[index].currentAt ?? sample.at)
            }
            let standing = standing(of: replicas[index], at: now)
            let before = replicas[index].standing
            guard standing != before else { continue }
            replicas[index].standing = standing
            events.append(ReplicaEvent(replica: index, from: before, to: standing))
        }
        return events
    }

    private func standing(of replica: Replica, at now: LoopInstant) -> ReplicaStanding {
        if replica.hasFailed { return .lost }
        if replica.heardAt == .distantPast { return .unknown }
        if now > replica.heardAt + limits.silence + limits.idleInterval { return .lost }
        guard replica.isStandby else { return .promoted }
        guard let replayed = replica.replayed, let primary = samples.last else { return .unknown }
        if replayed.timeline != primary.position.timeline { return .promoted }
        guard let lag = lag(of: replica) else { return .lagging }
        return lag > limits.lag ? .lagging : .following
    }

    /// How much older the replica's state is than the primary's was when that last answered: a primary that is gone
    /// writes nothing that a replica could miss.
    private func lag(of replica: Replica) -> Duration? {
        guard let primary = samples.last, let currentAt = replica.currentAt else { return nil }
        return primary.at - currentAt
    }

    // MARK: - What to do

    /// The replica for a read of somebody whose last write is at `position`; nil for the primary.
    package mutating func replica(for position: WritePosition, at now: LoopInstant) -> Int? {
        lastReadAt = now
        for offset in replicas.indices {
            let index = (next + offset) % replicas.count
            let replica = replicas[index]
            guard replica.standing == .following, now <= replica.heardAt + limits.silence + limits.idleInterval,
                let replayed = replica.replayed, replayed.includes(position)
            else { continue }
            next = index + 1
            return index
        }
        return nil
    }

    /// How long to wait before all are asked again.
    package func interval(at now: LoopInstant) -> Duration {
        lastReadAt > .distantPast && now <= lastReadAt + limits.attention
            ? limits.attentiveInterval : limits.idleInterval
    }

    /// What is known of each.
    package var figures: [(standing: ReplicaStanding, lag: Duration?)] {
        replicas.map { ($0.standing, lag(of: $0)) }
    }
}
