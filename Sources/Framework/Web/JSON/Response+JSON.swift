import SwiftletPostgres

extension Response {
    private static let jsonHeaders: Headers = {
        var headers = Headers()
        headers.append(.contentType, "application/json; charset=utf-8")
        return headers
    }()

    /// A JSON response. Timestamps in its strings are normalized before it is sent.
    ///
    ///     Response.json(.created) { json in
    ///         json.beginObject()
    ///         json.member("id", id)
    ///         json.endObject()
    ///     }
    public static func json(_ status: Status = .ok, _ build: (inout JSONWriter) throws -> Void) rethrows -> Response {
        var json = JSONWriter()
        try build(&json)
        let undecodable = json.undecodableMembers
        var response = Response(status, json.finish())
        response.list(undecodable, in: .xUndecodableColumns)
        return response
    }

    /// 200 with a value that is already built: `.json(["title": .string(title)])`.
    public static func json(_ value: JSONValue) -> Response {
        json(.ok, value)
    }

    /// The same with another status.
    public static func json(_ status: Status, _ value: JSONValue) -> Response {
        json(status) { $0.write(value) }
    }

    /// 200 `{"data":[…],"total":N}` with an object for each row.
    ///
    ///     .list(try await context.database.query("SELECT id, name FROM teams WHERE tenant_id = \(context.tenant)"))
    ///
    /// Throws ``PostgresError`` for a row whose values cannot be read.
    public static func list(_ rows: [Row]) throws(PostgresError) -> Response {
        var objects: [JSONValue] = []
        for row in rows { objects.append(.object(try row.json())) }
        return json(["data": .array(objects), "total": JSONValue(objects.count)])
    }

    /// The body as a JSON object. Throws ``APIError`` 500 for any other body.
    public func jsonObject() throws(APIError) -> JSONObject {
        guard let object = try? JSONParser.parse(body, maximumDepth: JSONParser.depthLimit).object else {
            throw .internal
        }
        return object
    }

    /// `{"success":true}`.
    public static let success = Response(json: Array(#"{"success":true}"#.utf8))

    /// JSON whose timestamps are already normalized.
    package init(json body: [UInt8], _ status: Status = .ok) {
        self.init(status, body)
        datesAreNormalized = true
    }

    /// The same, naming what the writer could write as null only.
    package init(json: consuming JSONWriter, _ status: Status = .ok) {
        let undecodable = json.undecodableMembers
        self.init(json: json.finish(), status)
        list(undecodable, in: .xUndecodableColumns)
    }

    init(_ status: Status, _ json: [UInt8]) {
        self.init(status: status, headers: Self.jsonHeaders, body: json)
    }
}
