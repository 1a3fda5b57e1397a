/// Copies a JSON text with its times normalised, in one pass that follows the grammar of RFC 8259 without building
/// values.
///
/// The grammar tells keys from values, and JSON from other text. Ill-formed UTF-8 is not detected. Nesting costs one
/// bit per level, so the depth is not limited.
struct StampRewriter: ~Escapable {
    private let bytes: Span<UInt8>
    private var index = 0
    /// The source up to here has been copied to the buffer.
    private var copied = 0
    private var containers = ContainerStack()

    private enum Expectation { case value, valueOrEnd, key, keyOrEnd, separator }

    /// Appends the rewritten text and returns true. When there is nothing to change, or the text is not JSON, appends
    /// nothing and returns false.
    static func rewrite(_ json: Span<UInt8>, into buffer: inout ByteBuffer) -> Bool {
        var rewriter = StampRewriter(json)
        let start = buffer.count
        guard rewriter.run(into: &buffer), rewriter.copied > 0 else {
            buffer.truncate(to: start)
            return false
        }
        buffer.append(json.extracting(rewriter.copied..<json.count))
        return true
    }

    @_lifetime(copy bytes)
    private init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    /// Walks the text to its end; false when it is not JSON.
    private mutating func run(into buffer: inout ByteBuffer) -> Bool {
        var expectation = Expectation.value
        while true {
            skipWhitespace()
            guard index < bytes.count else { return expectation == .separator && containers.isEmpty }
            let isAccepted =
                switch expectation {
                case .value, .valueOrEnd: takeValue(&expectation, into: &buffer)
                case .key, .keyOrEnd: takeKey(&expectation)
                case .separator: takeSeparator(&expectation)
                }
            guard isAccepted else { return false }
        }
    }

    private mutating func takeValue(_ expectation: inout Expectation, into buffer: inout ByteBuffer) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: "\""):
            expectation = .separator
            return takeText(into: &buffer)
        case UInt8(ascii: "{"):
            containers.push(isObject: true)
            index &+= 1
            expectation = .keyOrEnd
            return true
        case UInt8(ascii: "["):
            containers.push(isObject: false)
            index &+= 1
            expectation = .valueOrEnd
            return true
        case UInt8(ascii: "]"):
            guard expectation == .valueOrEnd else { return false }
            return takeEnd(&expectation)
        case UInt8(ascii: "t"): return takeLiteral("true", &expectation)
        case UInt8(ascii: "f"): return takeLiteral("false", &expectation)
        case UInt8(ascii: "n"): return takeLiteral("null", &expectation)
        default:
            guard let length = JSONNumber.length(in: bytes, at: index) else { return false }
            index &+= length
            expectation = .separator
            return true
        }
    }

    private mutating func takeKey(_ expectation: inout Expectation) -> Bool {
        if bytes[index] == UInt8(ascii: "}") { return expectation == .keyOrEnd && takeEnd(&expectation) }
        guard bytes[index] == UInt8(ascii: "\""), skipString() else { return false }
        skipWhitespace()
        guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return false }
        index &+= 1
        expectation = .value
        return true
    }

    private mutating func takeSeparator(_ expectation: inout Expectation) -> Bool {
        guard let isObject = containers.innermostIsObject else { return false }
        switch bytes[index] {
        case UInt8(ascii: ","):
            index &+= 1
            expectation = isObject ? .key : .value
            return true
        case UInt8(ascii: "}"): return isObject && takeEnd(&expectation)
        case UInt8(ascii: "]"): return !isObject && takeEnd(&expectation)
        default: return false
        }
    }

    private mutating func takeEnd(_ expectation: inout Expectation) -> Bool {
        containers.pop()
        index &+= 1
        expectation = .separator
        return true
    }

    private mutating func takeLiteral(_ word: StaticString, _ expectation: inout Expectation) -> Bool {
        guard bytes.hasLiteral(word, at: index) else { return false }
        index &+= word.utf8CodeUnitCount
        expectation = .separator
        return true
    }

    /// Skips a string value, and appends its normalised time if that differs.
    private mutating func takeText(into buffer: inout ByteBuffer) -> Bool {
        let start = index &+ 1
        guard skipString() else { return false }
        let end = index &- 1
        guard let stamp = DateNormaliser.stamp(bytes.extracting(start..<end)) else { return true }
        buffer.append(bytes.extracting(copied..<start))
        buffer.append(stamp)
        copied = end
        return true
    }

    /// Skips the string that starts at `index`; false when it is malformed.
    private mutating func skipString() -> Bool {
        index &+= 1
        while true {
            while bytes.count &- index >= 8 {
                let stops = bytes.word(at: index).stringSyntaxMarks
                index &+= stops.bytesBeforeMark
                if stops != 0 { break }
            }
            guard index < bytes.count else { return false }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index &+= 1
                return true
            case UInt8(ascii: "\\"):
                guard skipEscape() else { return false }
            case 0..<0x20: return false
            default: index &+= 1
            }
        }
    }

    private mutating func skipEscape() -> Bool {
        guard bytes.count &- index >= 2 else { return false }
        switch bytes[index &+ 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index &+= 2
            return true
        case UInt8(ascii: "u"):
            guard bytes.hexadecimal(at: index &+ 2) != nil else { return false }
            index &+= 6
            return true
        default: return false
        }
    }

    @inline(__always)
    private mutating func skipWhitespace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index &+= 1
            default: return
            }
        }
    }
}
