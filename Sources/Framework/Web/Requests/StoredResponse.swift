import SwiftletBytes
import SwiftletPostgres

/// An answer as `swiftlet.idempotency_keys` holds it.
struct StoredResponse {
    let status: Int
    let headers: String
    let exposedFields: String?
    /// nil if it is not kept: it is a stream, or too large.
    let body: [UInt8]?

    static let maximumBodyBytes = 262_144

    init(_ response: Response) {
        status = response.status.rawValue
        headers = String(decoding: response.headers.lines, as: UTF8.self)
        exposedFields = response.exposedFields
        body = response.stream == nil && response.body.count <= Self.maximumBodyBytes ? response.body : nil
    }

    /// Takes the columns of that table, the body in hexadecimal digits.
    init(_ row: Row) throws {
        status = try row.decode(Int.self, "status")
        headers = row["headers"] ?? ""
        exposedFields = row["exposed_fields"]
        body = row["body"].flatMap { Hexadecimal.decode($0) }
    }

    /// nil if its body is not kept.
    var response: Response? {
        guard let body else { return nil }
        var response = Response(status: Status(rawValue: status), body: body)
        for line in headers.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let name = Headers.Name(String(parts[0])) else { continue }
            response.headers.append(name, String(parts[1]))
        }
        response.exposedFields = exposedFields
        // It was before it was kept.
        response.datesAreNormalized = true
        return response
    }
}
