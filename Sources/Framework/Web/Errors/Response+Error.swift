extension Response {
    /// `{"error":…,"message":…,"msg":…,"code":…,"request_id":…,"details":{…}}`. The first three are equal, because some
    /// clients read one and some another. The code is in `sb-error-code` too, as in Supabase's functions.
    package init(_ error: APIError, _ requestID: String) {
        self = .json(error.status) { json in
            json.beginObject()
            json.member("error", error.message)
            json.member("message", error.message)
            json.member("msg", error.message)
            json.member("code", error.code.rawValue)
            json.member("request_id", requestID)
            if !error.details.isEmpty {
                json.key("details")
                json.beginObject()
                for (field, reason) in error.details.sorted(by: { $0.key < $1.key }) {
                    json.key(field)
                    json.write(reason)
                }
                json.endObject()
            }
            if let hint = error.hint { json.member("hint", hint) }
            if let available = error.available {
                json.key("available")
                json.beginArray()
                for name in available {
                    json.write(name)
                }
                json.endArray()
            }
            json.endObject()
        }
        datesAreNormalized = true
        headers.append("sb-error-code", error.code.rawValue)
        addHeaders(of: error)
    }

    /// Adds `Allow`, `Retry-After` and the like, for functions that write the error's body themselves.
    package mutating func addHeaders(of error: APIError) {
        for header in error.headers {
            headers.append(header.name, header.value)
        }
    }
}
