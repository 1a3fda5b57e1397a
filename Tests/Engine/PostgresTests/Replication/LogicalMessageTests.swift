import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite struct LogicalMessageTests {
    private static let relation = MessageBytes("R").integer(UInt32(77)).text("public").text("tasks").kind("d")
        .integer(UInt16(2))
        .byte(1).text("id").integer(UInt32(20)).integer(Int32(-1))
        .byte(0).text("title").integer(UInt32(25)).integer(Int32(-1))

    /// One of each kind.
    private static let messages: [MessageBytes] = [
        MessageBytes("B").integer(UInt64(0x16_0000_0001)).integer(Int64(5)).integer(UInt32(9)),
        MessageBytes("C").byte(0).integer(UInt64(1)).integer(UInt64(2)).integer(Int64(3)),
        MessageBytes("O").integer(UInt64(1)).text("elsewhere"),
        relation,
        MessageBytes("Y").integer(UInt32(600)).text("public").text("mood"),
        MessageBytes("I").integer(UInt32(77)).kind("N").row(["1", nil]),
        MessageBytes("U").integer(UInt32(77)).kind("N").row(["1", "…"]),
        MessageBytes("U").integer(UInt32(77)).kind("K").row(["1", nil]).kind("N").row(["2", "b"]),
        MessageBytes("U").integer(UInt32(77)).kind("O").row(["1", "a"]).kind("N").row(["1", "b"]),
        MessageBytes("D").integer(UInt32(77)).kind("K").row(["1", nil]),
        MessageBytes("D").integer(UInt32(77)).kind("O").row(["1", "a"]),
        MessageBytes("T").integer(UInt32(2)).byte(1).integer(UInt32(77)).integer(UInt32(78)),
        MessageBytes("M").byte(1).integer(UInt64(4)).text("app").integer(Int32(3)).adding([1, 2, 3]),
    ]

    @Test func `reads the begin and the end of a transaction`() throws {
        #expect(
            try LogicalMessage(Self.messages[0].bytes)
                == .begin(commit: LogSequenceNumber(rawValue: 0x16_0000_0001), committedAt: 5, transaction: 9)
        )
        #expect(
            try LogicalMessage(Self.messages[1].bytes)
                == .commit(
                    commit: LogSequenceNumber(rawValue: 1),
                    end: LogSequenceNumber(rawValue: 2),
                    committedAt: 3
                )
        )
    }

    @Test func `reads what a relation is`() throws {
        let relation = ReplicatedRelation(
            id: 77,
            schema: "public",
            name: "tasks",
            identity: .primaryKey,
            columns: [
                ReplicatedRelation.Column(name: "id", type: 20, isKey: true),
                ReplicatedRelation.Column(name: "title", type: 25),
            ]
        )
        #expect(try LogicalMessage(Self.relation.bytes) == .relation(relation))
    }

    @Test func `reads rows with null and with values that did not change`() throws {
        guard case .insert(77, let new) = try LogicalMessage(Self.messages[5].bytes) else {
            throw ReplicationMessageError.invalid
        }
        #expect(new.text(0) == "1")
        #expect(new.cells[1] == .null)
        #expect(new[2] == nil)
        guard case .update(77, nil, let changed) = try LogicalMessage(Self.messages[6].bytes) else {
            throw ReplicationMessageError.invalid
        }
        #expect(changed.cells[1] == .unchanged)
        #expect(changed.text(1) == nil)
    }

    @Test func `reads the old row, whole or its key`() throws {
        guard case .update(77, .key(let key)?, let new) = try LogicalMessage(Self.messages[7].bytes),
            case .update(77, .full(let old)?, _) = try LogicalMessage(Self.messages[8].bytes),
            case .delete(77, .key) = try LogicalMessage(Self.messages[9].bytes),
            case .delete(77, .full(let deleted)) = try LogicalMessage(Self.messages[10].bytes)
        else { throw ReplicationMessageError.invalid }
        #expect([key.text(0), new.text(0), new.text(1), old.text(1), deleted.text(1)] == ["1", "2", "b", "a", "a"])
    }

    @Test func `reads the other kinds`() throws {
        #expect(try LogicalMessage(Self.messages[2].bytes) == .origin(name: "elsewhere"))
        #expect(try LogicalMessage(Self.messages[4].bytes) == .type(id: 600, schema: "public", name: "mood"))
        #expect(try LogicalMessage(Self.messages[11].bytes) == .truncate(relations: [77, 78]))
        #expect(
            try LogicalMessage(Self.messages[12].bytes)
                == .message(prefix: "app", content: [1, 2, 3], isTransactional: true)
        )
    }

    @Test(arguments: messages.indices)
    func `a message that is cut anywhere is refused`(index: Int) throws {
        let bytes = Self.messages[index].bytes
        #expect(throws: Never.self) { try LogicalMessage(bytes) }
        for end in 0..<bytes.count {
            #expect(throws: ReplicationMessageError.self) { try LogicalMessage(Array(bytes[..<end])) }
        }
        #expect(throws: ReplicationMessageError.tooLong) { try LogicalMessage(bytes + [0]) }
    }

    @Test func `unknown kinds and impossible lengths are refused`() {
        #expect(throws: ReplicationMessageError.unknownMessage(UInt8(ascii: "S"))) {
            try LogicalMessage(MessageBytes("S").integer(UInt64(0)).bytes)
        }
        let negative = MessageBytes("I").integer(UInt32(1)).kind("N").integer(UInt16(1)).kind("t").integer(Int32(-5))
        #expect(throws: ReplicationMessageError.invalid) { try LogicalMessage(negative.bytes) }
        let huge = MessageBytes("T").integer(UInt32.max).byte(0).integer(UInt32(1))
        #expect(throws: ReplicationMessageError.cutShort) { try LogicalMessage(huge.bytes) }
        let many = MessageBytes("I").integer(UInt32(1)).kind("N").integer(UInt16.max)
        #expect(throws: ReplicationMessageError.cutShort) { try LogicalMessage(many.bytes) }
        let binary = MessageBytes("I").integer(UInt32(1)).kind("N").integer(UInt16(1)).kind("b").integer(Int32(0))
        #expect(throws: ReplicationMessageError.invalid) { try LogicalMessage(binary.bytes) }
    }

    @Test(arguments: 1...8)
    func `bytes changed at random are read or refused`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3000 {
            var bytes = random.element(of: Self.messages).bytes
            for _ in 0...random.below(4) {
                switch random.below(3) {
                case 0: bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: random.below(bytes.count))
                default: if bytes.count > 1 { bytes.remove(at: random.below(bytes.count)) }
                }
            }
            // Reaching into what was read must not trap either.
            guard let message = try? LogicalMessage(bytes) else { continue }
            switch message {
            case .insert(_, let new): _ = new.cells.indices.map { new.text($0) }
            case .update(_, let old, let new):
                _ = new.cells.indices.map { new.text($0) }
                _ = old?.image.cells.indices.map { old?.image.text($0) }
            case .delete(_, let old): _ = old.image.cells.indices.map { old.image.text($0) }
            default: break
            }
        }
    }
}
