import Swiftlet

/// Reads the members of a JSON body, and reports all that are wrong at once.
struct BodyFields {
    private let object: JSONObject
    private var faults: [String: String] = [:]

    /// With `allowsEmpty`, no body is an empty object.
    init(_ request: Request, allowsEmpty: Bool = false) throws(APIError) {
        object = try request.jsonObject(allowsEmpty: allowsEmpty)
    }

    /// Text with something in it, of at most so many characters.
    mutating func text(_ name: String, upTo maximum: Int, default value: String? = nil) -> String {
        guard let member = object[name], !member.isNull else {
            if value == nil { faults[name] = "is required" }
            return value ?? ""
        }
        guard let text = member.string else { return fault(name, "must be a text") }
        guard text.contains(where: { !$0.isWhitespace }) else { return fault(name, "must not be empty") }
        guard !text.utf8.contains(0) else { return fault(name, "must not contain a NUL character") }
        // A character may have many bytes, but those of people have few.
        guard text.count <= maximum, text.utf8.count <= maximum * 10 else {
            return fault(name, "must have at most \(maximum) characters")
        }
        return text
    }

    mutating func word(_ name: String, of words: [String], default value: String? = nil) -> String {
        let text = text(name, upTo: 100, default: value)
        guard faults[name] == nil, !words.contains(text) else { return text }
        return fault(name, "must be one of \(words.joined(separator: ", "))")
    }

    mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double {
        guard let member = object[name], !member.isNull else {
            faults[name] = "is required"
            return range.lowerBound
        }
        if let number = member.double, range.contains(number) { return number }
        faults[name] = "must be a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        return range.lowerBound
    }

    /// An object of texts; none is an empty one.
    mutating func texts(_ name: String) -> [String: String] {
        guard let member = object[name], !member.isNull else { return [:] }
        var texts: [String: String] = [:]
        for (key, value) in member.object ?? ["": 0] {
            guard let text = value.string, !key.isEmpty, !key.utf8.contains(0), !text.utf8.contains(0) else {
                faults[name] = "must be an object of texts"
                return [:]
            }
            texts[key] = text
        }
        return texts
    }

    /// Somebody's id. A UUID is meant in lower case, as accounts have it; Apple's apps write it in upper case.
    mutating func person(_ name: String) -> String {
        let text = text(name, upTo: 200)
        return text.isUUID ? text.lowercased() : text
    }

    /// An id that PostgreSQL takes for a UUID.
    mutating func uuid(_ name: String) -> String {
        let text = text(name, upTo: 100)
        if faults[name] == nil, !text.isUUID { faults[name] = "must be a UUID" }
        return text
    }

    /// A time in ISO 8601; one without zone is in UTC. Whether the day exists, PostgreSQL says.
    mutating func time(_ name: String) -> String {
        let text = text(name, upTo: 40)
        guard faults[name] == nil else { return text }
        let form = #/\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(?<zone>[Zz]|[+\-]\d\d(:?\d\d)?)?/#
        guard let match = text.wholeMatch(of: form) else {
            return fault(name, "must be a time such as 2025-03-15T17:44:35Z")
        }
        return match.zone == nil ? text + "Z" : text
    }

    @discardableResult
    mutating func fault(_ name: String, _ reason: String) -> String {
        faults[name] = reason
        return ""
    }

    /// Throws 400 `VALIDATION_ERROR` if anything was wrong.
    func finish() throws(APIError) {
        if !faults.isEmpty { throw .validation(faults) }
    }
}

extension String {
    var isUUID: Bool {
        wholeMatch(of: #/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#) != nil
    }
}
