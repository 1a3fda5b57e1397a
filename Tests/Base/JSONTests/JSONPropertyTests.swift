import SwiftletJSON
import SwiftletTesting
import Testing

/// What must hold for any value and any bytes. Each case is a seed; a failing one repeats.
@Suite struct JSONPropertyTests {
    private static let seeds = UInt64(0)..<40
    private static let valuesPerSeed = 25

    @Test(arguments: seeds) func `parsing what was written gives the value back`(seed: UInt64) {
        forEachValue(seed) { value, bytes, _ in
            #expect(String(validating: bytes, as: UTF8.self) != nil)
            let parsed = try? JSONParser.parse(bytes)
            #expect(parsed == value)
        }
    }

    @Test(arguments: seeds) func `any bytes are written as a text that parses`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Self.valuesPerSeed * 4 {
            let highest: UInt8 = Bool.random(using: &generator) ? 0xFF : 0x7F
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: 0...highest, using: &generator)
            }
            let json = bytesWritten { $0.writeString(utf8: bytes.span) }
            let parsed = try? JSONParser.parse(json)
            #expect(parsed == .string(String(decoding: bytes, as: UTF8.self)))
        }
    }

    @Test(arguments: seeds) func `normalizing changes the values that are times and nothing else`(seed: UInt64) {
        forEachValue(seed) { value, bytes, _ in
            let normalized = DateNormalizer.normalize(bytes)
            let expected = bytesWritten { $0.write(self.normalized(value)) }
            #expect(normalized == expected)
            #expect(DateNormalizer.normalize(normalized) == normalized)
        }
    }

    @Test(arguments: seeds) func `writing rows and normalizing documents give the same times`(seed: UInt64) {
        forEachValue(seed) { value, bytes, _ in
            let normalized = DateNormalizer.normalize(bytes)
            #expect(bytesWritten { $0.writeJSON(utf8: bytes.span) } == normalized)
            if let text = value.string {
                let utf8 = Array(text.utf8)
                #expect(bytesWritten { $0.writeText(utf8: utf8.span) } == normalized)
            }
        }
    }

    @Test(arguments: seeds) func `damaged text neither traps nor is changed unless it is still JSON`(seed: UInt64) {
        forEachValue(seed) { _, bytes, generator in
            for _ in 0..<8 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) { damage(&damaged, using: &generator) }
                // With a time at its end every JSON text must change, and no other may.
                let text = Array("[".utf8) + damaged + Array(",\"2024-01-15T10:30:00\"]".utf8)
                let isChanged = DateNormalizer.normalize(text) != text
                do throws(JSONError) {
                    _ = try JSONParser.parse(text, maximumDepth: 512)
                    #expect(isChanged)
                } catch {
                    // These two are refused by the parser alone: see ``DateNormalizer/normalize(_:)``.
                    if error.reason != .invalidUTF8, error.reason != .loneSurrogate { #expect(!isChanged) }
                    #expect(error.offset >= 0)
                    #expect(error.offset <= text.count)
                }
                _ = try? JSONParser.parse(damaged)
                _ = DateNormalizer.normalize(damaged)
            }
        }
    }

    @Test(arguments: seeds) func `a text cut anywhere is refused and passes unchanged`(seed: UInt64) {
        forEachValue(seed) { _, bytes, generator in
            let text = Array("[".utf8) + bytes + Array("]".utf8)
            for _ in 0..<min(text.count, 20) {
                let cut = Array(text[..<Int.random(in: 0..<text.count, using: &generator)])
                #expect(throws: JSONError.self) { try JSONParser.parse(cut) }
                #expect(DateNormalizer.normalize(cut) == cut)
            }
        }
    }

    private func forEachValue(
        _ seed: UInt64,
        _ body: (JSONValue, [UInt8], inout SeededGenerator) -> Void
    ) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<Self.valuesPerSeed {
            let value = JSONValue.random(depth: 3, using: &generator)
            body(value, bytesWritten { $0.write(value) }, &generator)
        }
    }

    private func normalized(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text):
            return DateNormalizer.stamp(Array(text.utf8).span).map { .string($0.text) } ?? value
        case .array(let values): return .array(values.map(normalized))
        case .object(let object):
            var result = JSONObject()
            for (name, value) in object { result[name] = normalized(value) }
            return .object(result)
        default: return value
        }
    }

    private func damage(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
        let syntax = Array("\"\\{}[]:,0-.eEu tnf\n".utf8)
        let byte =
            Bool.random(using: &generator)
            ? syntax.randomElement(using: &generator) ?? 0 : .random(in: 0...255, using: &generator)
        let position = Int.random(in: 0...bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes.insert(byte, at: position)
        case 1 where position < bytes.count: bytes.remove(at: position)
        case 2: bytes.removeLast(min(bytes.count, Int.random(in: 0...3, using: &generator)))
        default: if position < bytes.count { bytes[position] = byte }
        }
    }
}
