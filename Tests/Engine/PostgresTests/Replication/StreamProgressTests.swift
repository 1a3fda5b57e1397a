import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct StreamProgressTests {
    private let start = LoopInstant(nanoseconds: 1_000_000_000_000)

    private func position(_ value: UInt64) -> LogSequenceNumber { LogSequenceNumber(rawValue: value) }

    private func keepAlive(_ end: UInt64, wantsReply: Bool = false) -> StreamFrame {
        .keepAlive(end: position(end), wantsReply: wantsReply)
    }

    private func begin(_ commit: UInt64) -> LogicalMessage {
        .begin(commit: position(commit), committedAt: 0, transaction: 1)
    }

    private func commit(_ commit: UInt64, end: UInt64) -> LogicalMessage {
        .commit(commit: position(commit), end: position(end), committedAt: 0)
    }

    @Test func `what the server passes over is confirmed while nothing waits`() {
        var progress = StreamProgress(from: position(100), at: start)
        let isAsked = progress.note(keepAlive(500), at: start)
        #expect(!isAsked)
        #expect(progress.confirmed == position(500))
    }

    @Test func `nothing is confirmed behind a transaction that is not`() {
        var progress = StreamProgress(from: position(100), at: start)
        progress.note(begin(200))
        _ = progress.note(keepAlive(190), at: start)
        #expect(progress.confirmed == position(100))
        progress.note(commit(200, end: 210))
        _ = progress.note(keepAlive(900), at: start)
        #expect(progress.confirmed == position(100))
        #expect(progress.received == position(900))
        let mustTell = progress.confirm(position(210))
        #expect(mustTell)
        #expect(progress.confirmed == position(900))
    }

    @Test func `only the last of several transactions lets the rest pass`() {
        var progress = StreamProgress(from: .zero, at: start)
        for (commitAt, end) in [(10, 20), (30, 40)] as [(UInt64, UInt64)] {
            progress.note(begin(commitAt))
            progress.note(commit(commitAt, end: end))
        }
        _ = progress.note(keepAlive(100), at: start)
        _ = progress.confirm(position(20))
        #expect(progress.confirmed == position(20))
        let isBack = progress.confirm(position(15))
        #expect(!isBack)
        _ = progress.confirm(position(40))
        #expect(progress.confirmed == position(100))
    }

    @Test func `a status is due every three seconds, and at once where the server asks`() {
        var progress = StreamProgress(from: .zero, at: start)
        #expect(progress.nextStatus == start + .seconds(3))
        let isAsked = progress.note(keepAlive(1, wantsReply: true), at: start + .seconds(1))
        #expect(isAsked)
        progress.noteStatus(at: start + .seconds(1))
        #expect(progress.nextStatus == start + .seconds(4))
    }

    @Test func `a server that is silent for fifteen seconds is lost, but not while nobody reads`() {
        var progress = StreamProgress(from: .zero, at: start)
        #expect(progress.lostAt == start + .seconds(15))
        _ = progress.note(keepAlive(1), at: start + .seconds(10))
        #expect(progress.lostAt == start + .seconds(25))
        progress.notePause(at: start + .seconds(100))
        #expect(progress.lostAt == start + .seconds(115))
    }

    @Test func `frames are read, and a cut or unknown one is refused`() throws {
        let data = MessageBytes("w").integer(UInt64(1)).integer(UInt64(2)).integer(Int64(3)).adding([7, 8])
        #expect(try StreamFrame(data.bytes) == .data(offset: 25))
        let alive = MessageBytes("k").integer(UInt64(9)).integer(Int64(3)).byte(1)
        #expect(try StreamFrame(alive.bytes) == keepAlive(9, wantsReply: true))
        for end in 0..<alive.bytes.count {
            #expect(throws: ReplicationMessageError.self) { try StreamFrame(Array(alive.bytes[..<end])) }
        }
        #expect(throws: ReplicationMessageError.unknownMessage(UInt8(ascii: "z"))) {
            try StreamFrame(MessageBytes("z").bytes)
        }
    }

    @Test func `a status names what is received and what is confirmed`() {
        let status = StreamFrame.status(received: position(9), confirmed: position(5))
        let expected = MessageBytes("r").integer(UInt64(9)).integer(UInt64(5)).integer(UInt64(5)).integer(UInt64(0))
        #expect(status == expected.byte(0).bytes)
    }
}
