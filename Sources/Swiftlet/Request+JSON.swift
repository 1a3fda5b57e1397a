extension Request {
    /// The body as JSON. Throws ``APIError`` 400 `INVALID_JSON`; what `Content-Type` says does not count.
    public func json() throws -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(body)
        } catch {
            throw APIError.invalidJSON(error.description)
        }
    }

    /// The body as a JSON object; anything else is a 400. An empty body is an empty object where `allowsEmpty`.
    public func jsonObject(allowsEmpty: Bool = false) throws -> JSONObject {
        if allowsEmpty, body.isEmpty { return JSONObject() }
        guard let object = try json().object else { throw APIError.invalidJSON("an object is expected") }
        return object
    }

    /// Whether the client asked for unknown keys to be an error (RFC 7240, `handling=strict`).
    var prefersStrictHandling: Bool {
        combinedHeader(.prefer)?.contains("handling=strict") ?? false
    }
}
