import SwiftletHTTP
import SwiftletJSON

/// The members of a request's JSON body. `null` counts as missing.
struct Fields: Sendable {
    private let object: JSONObject

    /// An empty body, or `null`, counts as an empty object. Throws ``SignInError`` 400 `bad_json`.
    init(_ request: Request) throws(SignInError) {
        guard !request.body.isEmpty else {
            object = [:]
            return
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONParser.parse(request.body)
        } catch {
            throw .badJSON(error.description)
        }
        guard value.isNull || value.object != nil else { throw .badJSON("an object is expected") }
        object = value.object ?? [:]
    }

    /// nil also for an empty string. Throws ``SignInError`` 400 `bad_json` for other types.
    func text(_ name: String) throws(SignInError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .badJSON("\(name) must be a string") }
        return text.isEmpty ? nil : text
    }

    func bool(_ name: String) throws(SignInError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let bool = value.bool else { throw .badJSON("\(name) must be true or false") }
        return bool
    }

    func object(_ name: String) throws(SignInError) -> JSONObject? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw .badJSON("\(name) must be an object") }
        return object
    }

    /// A password that replaces another: an empty one is one that is too weak.
    func newPassword() throws(SignInError) -> String? { has("password") ? try text("password") ?? "" : nil }

    /// Whether the member is there, even if it is an empty string.
    func has(_ name: String) -> Bool { self[name] != nil }

    /// An address in lower case and without surrounding white space. White space alone is invalid rather than missing,
    /// because a missing address can mean an anonymous sign-up. Throws ``SignInError`` 400 `validation_failed`.
    func email(_ name: String = "email") throws(SignInError) -> String? {
        guard let given = try text(name) else { return nil }
        guard let text = MailAddress.normalized(given), MailAddress(rawValue: text) != nil else {
            throw SignInError.invalid("Unable to validate email address: invalid format")
        }
        return text
    }

    private subscript(name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return Optional.none }
        return value
    }
}
