import SwiftletJSON

/// A value of an earlier answer's body: `a.data.0.id`.
struct BatchReference: Hashable {
    let id: String
    private let steps: [String]

    private static let maximumSteps = 16

    /// nil for a text that is none.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...Self.maximumSteps).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }),
            parts[0].utf8.allSatisfy(Self.isWord)
        else { return nil }
        id = parts[0]
        steps = Array(parts.dropFirst())
    }

    /// Of the names of calls.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// nil if the answer has no such value.
    func value(in body: JSONValue) -> JSONValue? {
        var value = body
        for step in steps {
            let next = value.array == nil ? value[step] : Int(step).flatMap { value[$0] }
            guard let next else { return nil }
            value = next
        }
        return value
    }

    /// In a body, `{"$from": "a.id"}` stands for the value.
    private static let key = "$from"

    private static func reference(_ object: JSONObject) -> BatchReference? {
        guard object.count == 1, let text = object[key]?.string else { return nil }
        return BatchReference(text)
    }

    /// Those in a body. The parser has limited its depth.
    static func all(in value: JSONValue) -> [BatchReference] {
        switch value {
        case .object(let object):
            if let reference = reference(object) { return [reference] }
            return object.flatMap { all(in: $0.value) }
        case .array(let values): return values.flatMap(all)
        default: return []
        }
    }

    /// The body with each reference replaced by what `value` gives for it.
    static func replaced(
        in body: JSONValue,
        _ value: (BatchReference) throws(APIError) -> JSONValue
    ) throws(APIError) -> JSONValue {
        switch body {
        case .object(let object):
            if let reference = reference(object) { return try value(reference) }
            var result = JSONObject()
            for (name, member) in object { result[name] = try replaced(in: member, value) }
            return .object(result)
        case .array(let values):
            var result: [JSONValue] = []
            for element in values { result.append(try replaced(in: element, value)) }
            return .array(result)
        default: return body
        }
    }
}
