import SwiftletHTTP

/// Everything that a request tells, for comparison.
struct ReceivedRequest: Equatable, CustomStringConvertible {
    let method: String
    let path: String
    let segments: [String]
    let query: [String]
    let fields: [String]
    let body: [UInt8]
    let version: HTTPVersion
    let keepAlive: Bool

    init(_ request: Request) {
        method = request.method.rawValue
        path = request.path
        let segments = request.pathSegments
        self.segments = (0..<segments.count).map { segments[$0] }
        query = request.query.map { "\($0.name)=\($0.value)" }
        fields = request.fields.map { "\($0.name): \($0.value)" }
        body = request.body
        version = request.version
        keepAlive = request.keepAlive
    }

    var description: String {
        "\(method) \(path) \(query) \(version) \(fields) \(keepAlive ? "keep" : "close") "
            + String(decoding: body, as: UTF8.self)
    }
}
