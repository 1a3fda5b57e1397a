/// Names of Swift for names of PostgreSQL, which may be any text.
enum SwiftName {
    /// `user_id` → `userId`, `class` → `` `class` ``, `2fa` → `_2fa`.
    static func member(_ name: String) -> String {
        let words = words(of: name)
        guard let first = words.first else { return "unnamed" }
        let text = lowered(first) + words.dropFirst().map(raised).joined()
        if reservedMembers.contains(text) { return text + "_" }
        return startable(text)
    }

    /// `order_items` → `OrderItems`.
    static func type(_ name: String) -> String {
        let text = words(of: name).map(raised).joined()
        return text.isEmpty ? "Unnamed" : startable(text)
    }

    /// `activities` → `activity`, `tasks` → `task`.
    static func singular(_ word: String) -> String {
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }

    /// With backticks where it is a keyword.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A literal with this text.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    literal += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }

    /// Of the characters that names may have; anything else separates.
    private static func words(of name: String) -> [String] {
        name.split { !$0.isASCII ? !$0.isLetter : !($0.isLetter || $0.isNumber) }.map(String.init)
    }

    private static func raised(_ word: String) -> String { word.prefix(1).uppercased() + word.dropFirst() }

    /// `URL` → `url`, `URLPath` and `userID` keep the rest.
    private static func lowered(_ word: String) -> String {
        let hasLowercase = word.contains(where: \.isLowercase)
        return hasLowercase ? word.prefix(1).lowercased() + word.dropFirst() : word.lowercased()
    }

    private static func startable(_ text: String) -> String {
        text.first?.isNumber == true ? "_" + text : text
    }

    /// Members that every generated type has for other purposes, or that Swift reads otherwise.
    private static let reservedMembers: Set<String> = [
        "self", "init", "hash", "hashValue", "encode", "rawValue", "stringValue", "intValue", "allCases", "_",
    ]

    private static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "nonisolated",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where", "while", "Any", "Self", "Type", "Protocol",
    ]
}

/// Names that are taken, so that two of PostgreSQL's never become one of Swift's.
struct TakenNames {
    private var names: Set<String>

    init(_ names: Set<String> = []) { self.names = names }

    /// `name`, or with the first number behind it that makes it new.
    mutating func take(_ name: String) -> String {
        var free = name
        var number = 2
        while !names.insert(free).inserted {
            free = "\(name)\(number)"
            number += 1
        }
        return free
    }
}
