import Foundation

/// The calls of one ``APIClient/batch(inTransaction:_:)``, in their order.
public struct BatchCalls: Sendable {
    private(set) var endpoints: [APIEndpoint] = []

    /// One of the calls, to which later ones can refer.
    public struct Call: Sendable, Hashable {
        let index: Int

        var id: String { "c\(index)" }

        /// A value of this call's answer, as `call["id"]` or `call["data.0.id"]`, for the bodies of later calls.
        public subscript(_ path: String) -> BatchValue { BatchValue(name: "\(id).\(path)") }
    }

    /// Adds a call, and returns what later ones refer to it by.
    @discardableResult
    public mutating func add(_ endpoint: APIEndpoint) -> Call {
        endpoints.append(endpoint)
        return Call(index: endpoints.count - 1)
    }

    /// The body of `POST /batch`. Bodies are put in as they were encoded, so that no number is written anew.
    func body(isTransaction: Bool) throws -> Data {
        var data = Data("{\"transaction\":\(isTransaction),\"requests\":[".utf8)
        for (index, endpoint) in endpoints.enumerated() {
            if index > 0 { data.append(UInt8(ascii: ",")) }
            var path = endpoint.path
            if !endpoint.query.isEmpty { path += "?" + QueryText.make(endpoint.query) }
            var head: [String: String] = ["id": "c\(index)", "method": endpoint.method.rawValue, "path": path]
            guard endpoint.method != .head else { throw APIError.invalidRequest("HEAD is no call of a batch") }
            data.append(try Self.members(head))
            head = endpoint.headers
            if isTransaction { head[APIEndpoint.keyField] = nil }
            if !head.isEmpty {
                data.append(Data(",\"headers\":{".utf8) + (try Self.members(head)).dropFirst() + Data("}".utf8))
            }
            switch endpoint.body {
            case .json(let values):
                do {
                    data.append(Data(",\"body\":".utf8) + (try JSONEncoder.swiftlet.encode(values)))
                } catch {
                    throw APIError.invalidRequest("\(error)")
                }
            case .data: throw APIError.invalidRequest("a call of a batch has a body in JSON")
            case nil: break
            }
            data.append(UInt8(ascii: "}"))
        }
        data.append(Data("]}".utf8))
        return data
    }

    /// `{"a":"b"` without its end.
    private static func members(_ texts: [String: String]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(texts).dropLast()
    }
}

/// A value that the server takes from the answer to an earlier call of the same batch.
public struct BatchValue: Sendable, Hashable, Encodable, CustomStringConvertible {
    let name: String

    /// For a path: `"/api/customers/\(customer["id"])"`.
    public var description: String { "{\(name)}" }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: Key(stringValue: "$from"))
    }
}
