import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// A primary, two standbys and readers whose steps come in any order: nobody ever reads less than they have written.
@Suite struct ReplicaInterleavingTests {
    /// What a server has: its log, as the writers whose writes are in it.
    private struct Node {
        var timeline: UInt32 = 1
        var log: [Int] = []
        var isStandby = true
    }

    private struct World {
        var state = ReplicaSetState(count: 2)
        var primary = Node(isStandby: false)
        var standbys = [Node(), Node()]
        /// Answers of standbys that are on their way, from before they were made anew perhaps.
        var answers: [(replica: Int, position: WritePosition?)] = []
        /// By writer: the last position, and how many of their writes were acknowledged.
        var positions: [WritePosition?] = Array(repeating: nil, count: 3)
        var written = [0, 0, 0]
        var now = LoopInstant(nanoseconds: 1_000_000_000)
        var readsOfReplicas = 0
        var refusalsByGuard = 0
        var violations = 0

        func position(of node: Node) -> WritePosition {
            WritePosition(timeline: node.timeline, place: LogSequenceNumber(rawValue: UInt64(node.log.count)))
        }

        mutating func step(_ random: inout SeededGenerator) {
            now = now + .milliseconds(random.below(400))
            let replica = random.below(2)
            switch random.below(20) {
            case 0..<4: write(random.below(3))
            case 4..<8: replay(replica, random.below(4))
            case 8..<11: answers.append((replica, standbys[replica].isStandby ? position(of: standbys[replica]) : nil))
            case 11..<14: deliver(&random)
            case 14: _ = state.take(.primaryIsAt(position(of: primary), askedAt: now), at: now)
            case 15: rebuild(replica, &random)
            case 16 where random.below(10) == 0: failOver(to: replica)
            default: read(random.below(3))
            }
        }

        mutating func write(_ writer: Int) {
            primary.log.append(writer)
            written[writer] += 1
            positions[writer] = position(of: primary)
        }

        mutating func replay(_ replica: Int, _ count: Int) {
            guard standbys[replica].isStandby, standbys[replica].timeline == primary.timeline else { return }
            let have = standbys[replica].log.count
            standbys[replica].log += primary.log.dropFirst(have).prefix(count)
        }

        /// One server's answers come in their order: one question is under way at a time.
        mutating func deliver(_ random: inout SeededGenerator) {
            guard !answers.isEmpty else { return }
            let first = answers[random.below(answers.count)].replica
            guard let index = answers.firstIndex(where: { $0.replica == first }) else { return }
            let answer = answers.remove(at: index)
            _ = state.take(.replicaIsAt(answer.replica, answer.position), at: now)
        }

        /// An older backup takes its place, with or without a connection that breaks.
        mutating func rebuild(_ replica: Int, _ random: inout SeededGenerator) {
            standbys[replica] = Node(timeline: primary.timeline, log: Array(primary.log.prefix(random.below(8))))
            if random.below(2) == 0 { _ = state.take(.replicaFailed(replica), at: now) }
        }

        /// All of the primary's writes are there (synchronous replication); the other standby has to be made anew.
        mutating func failOver(to replica: Int) {
            primary.timeline += 1
            standbys[replica] = Node(timeline: primary.timeline, log: [], isStandby: false)
        }

        mutating func read(_ writer: Int) {
            guard let position = positions[writer], let replica = state.replica(for: position, at: now) else { return }
            let node = standbys[replica]
            // What the statement before the read checks.
            guard node.isStandby, node.log.count >= position.place.rawValue else {
                refusalsByGuard += 1
                _ = state.take(.replicaIsBehind(replica), at: now)
                return
            }
            readsOfReplicas += 1
            if node.log.count(where: { $0 == writer }) < written[writer] { violations += 1 }
        }
    }

    @Test(arguments: [1, 35, 20_261_127])
    func `nobody reads less than they have written in ten thousand interleavings`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (reads, refusals) = (0, 0)
        for interleaving in 0..<10_000 {
            var world = World()
            for _ in 0..<40 { world.step(&random) }
            #expect(world.violations == 0, "seed \(seed), interleaving \(interleaving)")
            reads += world.readsOfReplicas
            refusals += world.refusalsByGuard
        }
        // Else nothing was tried.
        #expect(reads > 1_000)
        #expect(refusals > 20)
    }
}
