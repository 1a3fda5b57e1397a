extension Request {
    /// The body as JSON, whatever its `Content-Type`. Throws ``APIError`` 400 `INVALID_JSON`, or 415 if it
    /// cannot be read because it is compressed.
    public func json() throws(APIError) -> JSONValue {
        do throws(JSONError) {
            return try JSONParser.parse(body)
        } catch {
            throw isCompressed ? APIError.compressed : APIError.invalidJSON(error.description)
        }
    }

    /// Whether `Content-Encoding` names more than `identity` (RFC 9110 §8.4).
    var isCompressed: Bool {
        let codings = combinedHeader("Content-Encoding")?.lowercased().split(separator: ",") ?? []
        return codings.contains { $0.filter { $0 != " " && $0 != "\t" } != "identity" }
    }

    /// The body as a JSON object. Throws ``APIError`` 400 `INVALID_JSON` for anything else; with `allowsEmpty`, an
    /// empty body is an empty object.
    public func jsonObject(allowsEmpty: Bool = false) throws(APIError) -> JSONObject {
        if allowsEmpty, body.isEmpty { return JSONObject() }
        guard let object = try json().object else { throw APIError.invalidJSON("an object is expected") }
        return object
    }
}
