import SwiftletRedis
import SwiftletTesting
import Testing

struct RESPReaderTests {
    private static let whole =
        "+OK\r\n-ERR no\r\n:-7\r\n$2\r\nhi\r\n$0\r\n\r\n$-1\r\n_\r\n*2\r\n:1\r\n*-1\r\n%1\r\n+a\r\n#t\r\n"
        + ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$4\r\na\r\nb\r\n=5\r\ntxt:x\r\n!3\r\nBAD\r\n~1\r\n,1.5\r\n"

    private static let values: [RESPValue] = [
        .line("OK"), .fault("ERR no"), .integer(-7), .bytes(Array("hi".utf8)), .bytes([]), .null, .null,
        .list([.integer(1), .null]), .list([.line("a"), .line("t")]),
        .push([.bytes(Array("message".utf8)), .bytes(Array("c".utf8)), .bytes(Array("a\r\nb".utf8))]),
        .bytes(Array("txt:x".utf8)), .fault("BAD"), .list([.line("1.5")]),
    ]

    @Test(arguments: [1, 2, 3, 7, 1000]) func `values are read, however their bytes are cut`(length: Int) throws {
        var reader = RESPReader()
        var read: [RESPValue] = []
        let bytes = Array(Self.whole.utf8)
        for start in stride(from: 0, to: bytes.count, by: length) {
            reader.append(bytes[start..<min(bytes.count, start + length)])
            while let value = try reader.next() { read.append(value) }
        }
        #expect(read == Self.values)
    }

    @Test(arguments: [
        "\u{0}", "HTTP/1.1 200 OK\r\n", "+line\n", ":x\r\n", ":99999999999999999999\r\n", "$-2\r\n", "*-7\r\n",
        "$2\r\nhix\r\n", "_x\r\n", ">-1\r\n", "*1\r\n?\r\n",
    ])
    func `what is none of the protocol is refused`(text: String) {
        var reader = RESPReader()
        reader.append(text.utf8)
        #expect(throws: RESPError.invalid) { try reader.next() }
    }

    @Test func `what is too large is refused at its beginning`() {
        for text in [
            "+" + String(repeating: "x", count: 5000), "$900000000\r\n", "*5000\r\n", "%3000\r\n",
            "%9223372036854775807\r\n", String(repeating: "*1\r\n", count: 100),
            "*2\r\n" + String(repeating: "*3000\r\n" + String(repeating: ":1\r\n", count: 3000), count: 2),
        ] {
            var reader = RESPReader()
            reader.append(text.utf8)
            #expect(throws: RESPError.tooLarge, "\(text.prefix(30))") { _ = try reader.next() }
        }
        // Parts of a value are never more than the whole may be.
        var reader = RESPReader()
        reader.append("*3\r\n".utf8)
        let part = Array("$4000000\r\n".utf8) + [UInt8](repeating: 0x61, count: 4_000_000) + Array("\r\n".utf8)
        for _ in 0..<2 { reader.append(part) }
        reader.append("$4000000\r\n".utf8)
        #expect(throws: RESPError.tooLarge) { try reader.next() }
    }

    @Test(arguments: 0..<20) func `any bytes are taken or refused`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let alphabet = Array("+-:$*%>_~=\r\n019ax".utf8)
        for _ in 0..<300 {
            var reader = RESPReader()
            do {
                for _ in 0..<20 {
                    let count = Int.random(in: 0..<12, using: &generator)
                    reader.append((0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 })
                    while try reader.next() != nil {}
                }
            } catch {
                #expect([.invalid, .tooLarge].contains(error))
            }
        }
    }
}
