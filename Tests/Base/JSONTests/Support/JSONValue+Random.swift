import SwiftletJSON
import SwiftletTesting

extension JSONValue {
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .null
        case 1: return .bool(.random(using: &generator))
        case 2: return .number(.random(using: &generator))
        case 3: return .string(randomStamp(using: &generator))
        case 4, 5: return .string(randomText(using: &generator))
        case 6:
            let count = Int.random(in: 0...5, using: &generator)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...(depth == 2 ? 20 : 3), using: &generator) {
                let isStamp = Int.random(in: 0..<8, using: &generator) == 0
                let name = isStamp ? randomStamp(using: &generator) : randomText(using: &generator)
                object[name] = random(depth: depth - 1, using: &generator)
            }
            return .object(object)
        }
    }

    /// Texts of all lengths around a word's, mostly plain, with what is awkward mixed in.
    static func randomText(using generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        let isPlain = Bool.random(using: &generator)
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            let value: UInt32 =
                switch isPlain ? 9 : Int.random(in: 0..<10, using: &generator) {
                case 0: .random(in: 0..<0x20, using: &generator)
                case 1: 0x22
                case 2: 0x5C
                case 3: .random(in: 0x80..<0x800, using: &generator)
                case 4: .random(in: 0x800..<0x1_0000, using: &generator)
                case 5: .random(in: 0x1_0000...0x10_FFFF, using: &generator)
                default: .random(in: 0x20..<0x7F, using: &generator)
                }
            text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
        }
        return String(text)
    }

    /// A time, or nearly one.
    static func randomStamp(using generator: inout SeededGenerator) -> String {
        func digits(_ length: Int, _ highest: Int) -> String {
            let digits = String(Int.random(in: 0...highest, using: &generator))
            return String(repeating: "0", count: max(0, length - digits.count)) + digits
        }
        let date = "\(digits(4, 9_999))-\(digits(2, 13))-\(digits(2, 31))"
        let time = "\(digits(2, 24)):\(digits(2, 60)):\(digits(2, 60))"
        let fraction = ["", ".5", ".123456", "."].randomElement(using: &generator) ?? ""
        let offset = "\(digits(2, 24)):\(digits(2, 60))"
        let zone = ["", "", "Z", "+00:00", "+\(offset)", "-\(offset)", "+01"].randomElement(using: &generator) ?? ""
        return date + (["T", "T", "T", " "].randomElement(using: &generator) ?? "T") + time + fraction + zone
    }
}

extension JSONNumber {
    static func random(using generator: inout SeededGenerator) -> JSONNumber {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return JSONNumber(Int.random(in: -100...100, using: &generator))
        case 1: return JSONNumber(Int.random(in: .min ... .max, using: &generator))
        case 2: return JSONNumber(Double(bitPattern: generator.next())) ?? JSONNumber(0)
        default:
            let digits = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            return JSONNumber(text: "-1\(digits.joined()).\(digits.joined())e-\(digits[0])") ?? JSONNumber(0)
        }
    }
}
