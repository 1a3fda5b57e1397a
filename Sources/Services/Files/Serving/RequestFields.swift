import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The JSON object in a request's body, read as leniently as clients write it: numbers may be texts, and an empty body is
/// an empty object.
struct RequestFields {
    let object: JSONObject

    /// nil for a member that is missing or null.
    func text(_ name: String) throws(FilesError) -> String? {
        switch object[name] {
        case nil, .null: return nil
        case .string(let text): return text
        case .number(let number): return number.text
        default: throw .badRequest("body/\(name) must be string")
        }
    }

    func required(_ name: String) throws(FilesError) -> String {
        guard let text = try text(name) else { throw .badRequest("body must have required property '\(name)'") }
        return text
    }

    func number(_ name: String) throws(FilesError) -> Int? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let number = value.int ?? value.string.flatMap({ Int($0) }) else {
            throw .badRequest("body/\(name) must be integer")
        }
        return number
    }

    func flag(_ name: String) throws(FilesError) -> Bool? {
        switch object[name] {
        case nil, .null: return nil
        case .bool(let flag): return flag
        case "true": return true
        case "false": return false
        default: throw .badRequest("body/\(name) must be boolean")
        }
    }
}

extension Request {
    func fields() throws(FilesError) -> RequestFields {
        guard !body.isEmpty else { return RequestFields(object: JSONObject()) }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(body)
        } catch {
            throw .badRequest("the body is not valid JSON")
        }
        guard let object = value.object else { throw .badRequest("body must be object") }
        return RequestFields(object: object)
    }
}
