import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON

/// Makes the response of what a transaction gave.
struct RestResponse {
    let request: RestRequest

    func response(
        _ status: Status,
        _ answer: RestTransaction.MainRow,
        _ form: ResultForm,
        contentRange: String?,
        applied: [String]
    ) throws(RestError) -> Response {
        var response = Response(status: status)
        if form != .none {
            response.headers.append(.contentType, request.contentType)
            response.body =
                form.isHexadecimal
                ? Hexadecimal.decode(String(decoding: answer.body, as: UTF8.self)) ?? [] : answer.body
        }
        if let contentRange { response.headers.append("Content-Range", contentRange) }
        if !applied.isEmpty { response.headers.append("Preference-Applied", applied.joined(separator: ", ")) }
        if request.namesSchema { response.headers.append("Content-Profile", request.schema) }
        response.headers.append(.vary, "Accept, Prefer, Range")
        // A function may name another type.
        if request.method == .head { response.headers[.contentType] = request.contentType }
        try apply(answer, to: &response)
        return response
    }

    /// What functions have set: `response.status` and `response.headers`.
    private func apply(_ answer: RestTransaction.MainRow, to response: inout Response) throws(RestError) {
        if let text = answer.headers {
            let fault = RestError(
                500,
                "PGRST111",
                "response.headers guc must be a JSON array composed of objects with a single key and a string value"
            )
            guard let list = try? JSONParser.parse(Array(text.utf8)).array else { throw fault }
            for element in list {
                guard let object = element.object, object.count == 1, let key = object.keys.first,
                    let value = object[key]?.string, let name = Headers.Name(key)
                else { throw fault }
                // Who says how long it may be kept is not told otherwise.
                if name == .cacheControl { response.isCacheable = true }
                let isList = name == "Set-Cookie"
                if isList { response.headers.append(name, value) } else { response.headers[name] = value }
                if name == .cacheControl { response.isCacheable = true }
            }
        }
        if let text = answer.status {
            guard let status = Int(text), (200...599).contains(status) else {
                throw RestError(500, "PGRST112", "response.status guc must be a valid status code")
            }
            response.status = Status(rawValue: status)
        }
    }

    /// `0-9/42`, `*/0`
    static func contentRange(offset: Int, count: Int, total: Int?) -> String {
        let range = count > 0 ? "\(offset)-\(offset + count - 1)" : "*"
        return "\(range)/\(total.map(String.init) ?? "*")"
    }
}
