public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The answers to the calls of a batch.
public struct BatchAnswers: Sendable {
    private let data: Data
    private let url: URL
    /// In the order of the calls.
    public let statuses: [Int]

    init(_ data: Data, url: URL) throws {
        self.data = data
        self.url = url
        statuses = try APIClient.decode(Statuses.self, from: data).responses.map(\.status)
    }

    /// The status of a call; nil for one that was not made.
    public func status(of call: BatchCalls.Call) -> Int? {
        statuses.indices.contains(call.index) ? statuses[call.index] : nil
    }

    /// The value that a call was answered with. Throws the ``APIError`` of a call that was refused.
    public func value<Value: Decodable & Sendable>(
        of call: BatchCalls.Call,
        as type: Value.Type = Value.self,
        decoder: JSONDecoder = .swiftlet
    ) throws -> Value {
        try check(call)
        return try SelectedIndex.$index.withValue(call.index) {
            try APIClient.decode(Selected<Value>.self, from: data, decoder).value
        }
    }

    /// Throws the ``APIError`` of a call that was refused, and ``APIError/notFound`` for one that was not made.
    public func check(_ call: BatchCalls.Call) throws {
        guard let status = status(of: call) else { throw APIError.notFound }
        guard !(200..<300).contains(status) else { return }
        guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil) else {
            throw APIError.server(requestID: nil)
        }
        let body = try SelectedIndex.$index.withValue(call.index) {
            try APIClient.decode(Selected<Refused>.self, from: data).value
        }
        throw APIError(try JSONEncoder().encode(body), response)
    }
}

private struct Statuses: Decodable {
    struct Response: Decodable { let status: Int }

    let responses: [Response]
}

/// What an error's body says, as far as ``APIError`` reads it.
private struct Refused: Codable, Sendable {
    var code: String?
    var message: String?
    var error: String?
    var requestId: String?
    var details: [String: String]?

    init(from decoder: any Decoder) throws {
        let members = try? decoder.container(keyedBy: CodingKeys.self)
        code = try? members?.decode(String.self, forKey: .code)
        message = try? members?.decode(String.self, forKey: .message)
        error = try? members?.decode(String.self, forKey: .error)
        requestId = try? members?.decode(String.self, forKey: .requestId)
        details = try? members?.decode([String: String].self, forKey: .details)
    }
}

/// The body of one of the answers, read where it stands.
private struct Selected<Value: Decodable & Sendable>: Decodable, Sendable {
    let value: Value

    private enum Envelope: CodingKey { case responses }
    private enum Answer: CodingKey { case body }
    private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

    init(from decoder: any Decoder) throws {
        var answers = try decoder.container(keyedBy: Envelope.self).nestedUnkeyedContainer(forKey: .responses)
        for _ in 0..<SelectedIndex.index { _ = try answers.decode(Ignored.self) }
        value = try answers.nestedContainer(keyedBy: Answer.self).decode(Value.self, forKey: .body)
    }
}

/// Which of the answers is read: a decoder hands nothing else to the types that it makes.
private enum SelectedIndex {
    @TaskLocal static var index = 0
}
