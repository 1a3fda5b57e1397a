import SwiftletJSON

/// The types whose equality needs no database.
enum PolicyType: Sendable, Equatable {
    case text, uuid, bool
    /// `smallint`, `integer` and `bigint`, by their bits.
    case integer(Int)
    /// The claims, or a part of them, as `jsonb`.
    case claims

    /// What is compared with each other.
    func compares(with other: PolicyType) -> Bool {
        switch (self, other) {
        case (.integer, .integer): true
        case (.claims, _), (_, .claims): false
        default: self == other
        }
    }

    /// By the numbers of PostgreSQL's own types, which a type of the same name elsewhere does not have. Texts of which two
    /// are equal only if their bytes are: those of a deterministic collation.
    init?(type: String?, modifier: String?, collation: String?) {
        switch type {
        case "16": self = .bool
        case "20": self = .integer(64)
        case "21": self = .integer(16)
        case "23": self = .integer(32)
        case "2950": self = .uuid
        case "25", "1043":
            // That of the database, and "C". Two others might contradict each other.
            guard modifier == "-1", ["100", "950"].contains(collation) else { return nil }
            self = .text
        default: return nil
        }
    }

    /// As `pg_get_expr` writes a cast's.
    init?(name: String) {
        switch name {
        case "text", "character varying": self = .text
        case "uuid": self = .uuid
        case "boolean": self = .bool
        case "smallint": self = .integer(16)
        case "integer": self = .integer(32)
        case "bigint": self = .integer(64)
        default: return nil
        }
    }
}

enum PolicyValue: Sendable {
    case null
    case text(String)
    /// With lower-case digits.
    case uuid(String)
    case integer(Int)
    case bool(Bool)

    /// As PostgreSQL's `=`; nil for unknown. Texts are equal by their bytes, which Swift's are not.
    static func equal(_ left: PolicyValue, _ right: PolicyValue) -> Bool? {
        switch (left, right) {
        case (.text(let left), .text(let right)), (.uuid(let left), .uuid(let right)):
            left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        default: nil
        }
    }

    /// Of a column in the image of a row; nil where it is not what the type writes, as behind a change of the type.
    init?(_ json: JSONValue?, _ type: PolicyType) {
        switch (json, type) {
        case (nil, _), (.null?, _): self = .null
        case (.string(let text)?, .text): self = .text(text)
        case (.string(let text)?, .uuid):
            guard let uuid = Self.uuid(text) else { return nil }
            self = .uuid(uuid)
        case (.bool(let bool)?, .bool): self = .bool(bool)
        case (.number(let number)?, .integer(let bits)):
            guard let integer = Self.integer(number.text, bits) else { return nil }
            self = .integer(integer)
        default: return nil
        }
    }

    /// The cast; nil where PostgreSQL refuses it, or might read the text in a way of its own.
    func cast(to type: PolicyType) -> PolicyValue? {
        switch (self, type) {
        case (.null, _), (.text, .text), (.uuid, .uuid), (.bool, .bool): self
        case (.text(let text), .uuid): Self.uuid(text).map { .uuid($0) }
        case (.text(let text), .integer(let bits)): Self.integer(text, bits).map { .integer($0) }
        case (.text("true"), .bool): .bool(true)
        case (.text("false"), .bool): .bool(false)
        case (.uuid(let uuid), .text): .text(uuid)
        case (.integer(let integer), .text): .text(String(integer))
        case (.integer(let integer), .integer(let bits)): Self.integer(String(integer), bits).map { .integer($0) }
        default: nil
        }
    }

    private static func uuid(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (place, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): guard [8, 13, 18, 23].contains(place) else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                guard ![8, 13, 18, 23].contains(place) else { return nil }
            default: return nil
            }
        }
        return text.lowercased()
    }

    private static func integer(_ text: String, _ bits: Int) -> Int? {
        let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.count < 20,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let value = Int(text)
        else { return nil }
        return bits == 64 || value >= -(1 << (bits - 1)) && value < 1 << (bits - 1) ? value : nil
    }
}
