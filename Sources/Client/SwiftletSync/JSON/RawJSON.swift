import Foundation

/// Finds the members of JSON text without reading their values, which so keep every digit and every member that an app
/// does not know.
struct RawJSON {
    private let bytes: [UInt8]
    private var offset = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of an object in their order; nil if the text is none.
    static func members(_ text: String) -> [(name: String, value: String)]? {
        var json = RawJSON(Array(text.utf8))
        var members: [(name: String, value: String)] = []
        guard json.take(UInt8(ascii: "{")) else { return nil }
        if json.take(UInt8(ascii: "}")) { return members }
        repeat {
            guard let name = json.value().flatMap(Self.string), json.take(UInt8(ascii: ":")),
                let value = json.value()
            else { return nil }
            members.append((name, value))
        } while json.take(UInt8(ascii: ","))
        return json.take(UInt8(ascii: "}")) ? members : nil
    }

    /// The elements of an array; nil if the text is none.
    static func elements(_ text: String) -> [String]? {
        var json = RawJSON(Array(text.utf8))
        var elements: [String] = []
        guard json.take(UInt8(ascii: "[")) else { return nil }
        if json.take(UInt8(ascii: "]")) { return elements }
        repeat {
            guard let value = json.value() else { return nil }
            elements.append(value)
        } while json.take(UInt8(ascii: ","))
        return json.take(UInt8(ascii: "]")) ? elements : nil
    }

    /// The text of a JSON string; nil if it is another value.
    static func string(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "\"") else { return nil }
        if !text.utf8.contains(UInt8(ascii: "\\")) { return String(text.dropFirst().dropLast()) }
        return (try? JSONDecoder().decode([String].self, from: Data("[\(text)]".utf8)))?.first
    }

    /// How many arrays and objects are nested in each other.
    static func depth(_ text: String) -> Int {
        var json = RawJSON(Array(text.utf8))
        var (depth, deepest) = (0, 0)
        while json.offset < json.bytes.count {
            switch json.bytes[json.offset] {
            case UInt8(ascii: "\""):
                guard json.skipString() else { return deepest }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            json.offset += 1
        }
        return deepest
    }

    /// A text as JSON.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // MARK: - Scanning

    private mutating func skipSpace() {
        while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// The next value as it is written.
    private mutating func value() -> String? {
        skipSpace()
        let start = offset
        var depth = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard skipString() else { return nil }
                if depth == 0 { return text(from: start) }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of what this is a member of.
                if depth == 0 { return text(from: start) }
                depth -= 1
                if depth == 0 {
                    offset += 1
                    return text(from: start)
                }
            case UInt8(ascii: ",") where depth == 0, 0x20 where depth == 0, 0x0A where depth == 0:
                return text(from: start)
            default: break
            }
            offset += 1
        }
        return depth == 0 ? text(from: start) : nil
    }

    private func text(from start: Int) -> String? {
        start < offset ? String(decoding: bytes[start..<offset], as: UTF8.self) : nil
    }

    private mutating func skipString() -> Bool {
        offset += 1
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "\"") {
                offset += 1
                return true
            }
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return false
    }
}

/// A row as JSON text, whose values are kept as they came.
struct RawRow {
    private(set) var members: [(name: String, value: String)]

    init() { members = [] }

    /// nil if the text is no object.
    init?(_ text: String) {
        guard let members = RawJSON.members(text) else { return nil }
        self.members = members
    }

    subscript(_ name: String) -> String? {
        get { members.first { $0.name == name }?.value }
        set {
            members.removeAll { $0.name == name && newValue == nil }
            guard let newValue else { return }
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = newValue
            } else {
                members.append((name, newValue))
            }
        }
    }

    mutating func merge(_ other: RawRow) { for (name, value) in other.members { self[name] = value } }

    var text: String { "{" + members.map { "\(RawJSON.quoted($0.name)):\($0.value)" }.joined(separator: ",") + "}" }
}
