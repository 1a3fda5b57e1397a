import SwiftletTesting

/// Claim sets with everything that JSON allows, and a few things that it does not.
enum RandomPayload {
    private static let names = [
        "sub", "exp", "nbf", "iss", "aud", "role", "type", "email", "app_metadata", "user_metadata", "a", "", "é",
        "s\\u0075b", "\\u0065xp", "app_met\\u0061data",
    ]
    private static let metadataNames = [
        "tenant_id", "tenantId", "role_level", "roleLevel", "team_id", "teamId", "role_id", "roleId", "role",
        "is_platform_user", "isPlatformUser", "is_platform_admin", "isPlatformAdmin", "ten\\u0061nt_id", "x",
    ]
    private static let scalars = [
        "null", "true", "false", "0", "-0", "7", "8", "-1", "1.0", "7e0", "0.7E1", "1e400",
        "123456789012345678901234567890",
        "9223372036854775807", "-9223372036854775808", "1.7976931348623157e308", "5e-324", "1900000000",
        "1900000000.25",
        #""""#, #""a""#, #""t1""#, #""PLATFORM_ADMIN""#, #""\u0070latform_admin""#, #""é😀""#, #""\ud83d\ude00""#,
        #""\"\\\/\b\f\n\r\t""#, #""authenticated""#, #""anon""#, #""a longer text that passes several words of eight""#,
        #""a longer text\u0020with escapes \\ in \"several\" words""#, #""\u0000""#, #""line\nbreak""#,
    ]

    static func make(_ generator: inout SeededGenerator) -> [UInt8] {
        Array(object(depth: 0, &generator).utf8)
    }

    private static func object(depth: Int, _ generator: inout SeededGenerator) -> String {
        let names = depth == 1 && Int.random(in: 0..<3, using: &generator) > 0 ? metadataNames : names
        let members = (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
            let name = names.randomElement(using: &generator) ?? ""
            let space = blank(&generator)
            return "\(space)\"\(name)\"\(space):\(blank(&generator))\(value(depth: depth + 1, &generator))"
        }
        return "{\(members.joined(separator: ","))\(blank(&generator))}"
    }

    private static func value(depth: Int, _ generator: inout SeededGenerator) -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3 where depth < 5: return object(depth: depth, &generator)
        case 3 where depth < 5:
            let values = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in value(depth: depth + 1, &generator) }
            return "[\(values.joined(separator: ",\(blank(&generator))"))]"
        default: return scalars.randomElement(using: &generator) ?? "0"
        }
    }

    private static func blank(_ generator: inout SeededGenerator) -> String {
        ["", "", "", " ", "\n\t", "\r"].randomElement(using: &generator) ?? ""
    }

    /// Changes, removes, doubles or moves a few bytes.
    static func damage(_ text: inout [UInt8], _ generator: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1..<4, using: &generator) {
            guard let index = text.indices.randomElement(using: &generator) else { return }
            let other = text.indices.randomElement(using: &generator) ?? index
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: text[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 1: text.remove(at: index)
            case 2: text.insert(text[other], at: index)
            case 3: text.swapAt(index, other)
            case 4: text.removeSubrange(min(index, other)..<max(index, other))
            default: text.insert(contentsOf: text[min(index, other)..<max(index, other)], at: index)
            }
        }
    }
}
