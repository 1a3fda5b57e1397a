internal import HTTP
internal import JSON

/// The members of a request's body. `null` counts as missing, unknown members as nothing at all.
struct Fields: Sendable {
    private let object: JSONObject

    /// An empty body is an object without members.
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
        guard let object = value.object else { throw .badJSON("an object is expected") }
        self.object = object
    }

    /// nil as well for an empty text.
    func text(_ name: String) throws(SignInError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .badJSON("\(name) must be a string") }
        return text.isEmpty ? nil : text
    }

    /// The first of several spellings.
    func text(_ names: String...) throws(SignInError) -> String? {
        for name in names {
            if let text = try text(name) { return text }
        }
        return nil
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

    /// Whether the member is there, be its text empty.
    func has(_ name: String) -> Bool { self[name] != nil }

    /// An address as accounts have it: in lower case, without blanks around it. Blanks alone are no address, and not
    /// none: that would make an anonymous account of a slip.
    func email(_ name: String = "email") throws(SignInError) -> String? {
        guard let given = try text(name) else { return nil }
        // Longer ones are not even looked through: a megabyte of blanks would hold the loop up.
        let text = given.utf8.count <= MailAddress.maximumBytesWithBlanks ? given.trimmingBlanks().lowercased() : ""
        guard MailAddress(rawValue: text) != nil else {
            throw SignInError(
                .badRequest,
                "validation_failed",
                "Unable to validate email address: invalid format"
            )
        }
        return text
    }

    private subscript(name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return Optional.none }
        return value
    }
}

extension SignInError {
    static func badJSON(_ reason: String) -> SignInError {
        SignInError(.badRequest, "bad_json", "Could not parse request body as JSON: \(reason)")
    }
}
