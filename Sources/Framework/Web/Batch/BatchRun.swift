import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON

/// The calls of a batch, one after the other, and their answers.
struct BatchRun {
    private let batch: Request
    private let application: Application
    private var answers: [Answer] = []
    /// The bodies of answers that others refer to, nil for one that is no JSON or a failure.
    private var bodies: [String: JSONValue?] = [:]
    private var bytes = 0

    /// Of all answers together.
    private static let maximumBytes = 8 << 20
    /// What each call takes from the batch: who calls, and from where.
    private static let inherited: [Headers.Name] = [
        "Authorization", "apikey", "X-Tenant-Id", "X-Forwarded-For", "X-Client-Info",
    ]

    private struct Answer {
        let id: String
        let response: Response
        /// Why it has no body, though the call was answered with one.
        var omission: APIError.Code?
    }

    init(_ batch: Request, _ application: Application) {
        self.batch = batch
        self.application = application
    }

    /// Makes one call, within `context`'s transaction if it has one. Throws what undoes and repeats the transaction.
    mutating func make(_ call: BatchCall, _ context: Context?) async throws -> Status {
        var response: Response
        var omission: APIError.Code?
        do {
            let request = try request(call)
            response = try await application.answerCall(request, isFirst: answers.isEmpty, in: context)
        } catch let error as APIError {
            response = Response(error, RequestID.make(application.server.clock))
        }
        if bytes + response.body.count > Self.maximumBytes {
            let error = APIError(
                .unprocessableContent,
                "BATCH_ANSWER_TOO_LARGE",
                "The call was made; its answer is too large for this batch"
            )
            let hasTakenEffect = context == nil && call.method != .get && Self.isSuccess(response)
            if !hasTakenEffect {
                response = Response(error, RequestID.make(application.server.clock))
            } else {
                // Who sees a failure makes the change again.
                response.body = []
                omission = error.code
            }
        }
        bytes += response.body.count
        answers.append(Answer(id: call.id, response: response, omission: omission))
        return response.status
    }

    private mutating func request(_ call: BatchCall) throws(APIError) -> Request {
        let limits = RequestLimits(bodyBytes: max(1 << 20, batch.body.count * 2))
        var values: [BatchReference: JSONValue] = [:]
        for reference in call.path.references { values[reference] = try value(reference) }
        if let body = call.body { try resolve(body, within: limits.bodyBytes, &values) }
        func known(_ reference: BatchReference) throws(APIError) -> JSONValue { values[reference] ?? .null }

        let target = try call.path.target(within: limits.requestLineBytes, known)
        var headers = Headers()
        for name in Self.inherited {
            if let value = batch.combinedHeader(name) { headers.append(name, value) }
        }
        if let parent = batch.state?.traceParent { headers.append(.traceparent, parent) }
        for (name, value) in call.headers { headers.append(name, value) }
        var body: [UInt8] = []
        if let value = call.body {
            var writer = JSONWriter()
            writer.write(try BatchReference.replaced(in: value, known))
            body = writer.finish()
            if headers[.contentType] == nil { headers.append(.contentType, "application/json") }
        }
        do throws(ParseError) {
            return try Request(
                method: call.method,
                target: target,
                headers: headers,
                body: body,
                remoteAddress: batch.remoteAddress,
                limits: limits
            )
        } catch {
            throw APIError(error.status, APIError.code(for: error.status), error.reason)
        }
    }

    /// Finds what a body refers to, and throws 413 if that is larger than the body may be: many references to one large
    /// answer are a small batch.
    private mutating func resolve(
        _ body: JSONValue,
        within maximum: Int,
        _ values: inout [BatchReference: JSONValue]
    ) throws(APIError) {
        var sizes: [BatchReference: Int] = [:]
        var bytes = 0
        for reference in BatchReference.all(in: body) {
            if sizes[reference] == nil {
                let value = if let known = values[reference] { known } else { try value(reference) }
                var writer = JSONWriter()
                writer.write(value)
                values[reference] = value
                sizes[reference] = writer.finish().count
            }
            bytes += sizes[reference] ?? 0
            guard bytes <= maximum else { throw .contentTooLarge }
        }
    }

    private mutating func value(_ reference: BatchReference) throws(APIError) -> JSONValue {
        guard let body = body(of: reference.id) else { throw .unmet("\(reference.id) has failed, or is no JSON") }
        guard let value = reference.value(in: body) else { throw .unmet("\(reference.id) has no such value") }
        return value
    }

    private mutating func body(of id: String) -> JSONValue? {
        if let known = bodies[id] { return known }
        let response = answers.first { $0.id == id }?.response
        let body =
            response.map(Self.isSuccess) == true
            ? response.flatMap { try? JSONParser.parse($0.body, maximumDepth: JSONParser.depthLimit) } : nil
        bodies.updateValue(body, forKey: id)
        return body
    }

    private static func isSuccess(_ response: Response) -> Bool { (200..<300).contains(response.status.rawValue) }

    // MARK: The answer

    /// `{"responses":[{"id","status","headers","body"}]}`, with the members of an error before it if there is one. A body
    /// that is no text is in Base64, and has `"encoding":"base64"` beside it.
    func response(_ error: APIError? = nil, _ requestID: String) -> Response {
        var response = Response.json(error?.status ?? .ok) { json in
            json.beginObject()
            if let error {
                json.member("error", error.message)
                json.member("message", error.message)
                json.member("msg", error.message)
                json.member("code", error.code.rawValue)
                json.member("request_id", requestID)
            }
            json.key("responses")
            json.beginArray()
            for answer in answers { Self.write(answer, &json) }
            json.endArray()
            json.endObject()
        }
        // Each has been, as its function has it.
        response.datesAreNormalized = true
        return response
    }

    private static func write(_ answer: Answer, _ json: inout JSONWriter) {
        let response = answer.response
        json.beginObject()
        json.member("id", answer.id)
        json.member("status", response.status.rawValue)
        json.key("headers")
        json.beginObject()
        var type = ""
        for line in String(decoding: response.headers.lines, as: UTF8.self).split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let (name, value) = (parts[0].lowercased(), String(parts[1].trimmingSpaces()))
            if name == "content-type" { type = value.lowercased() }
            if name == "set-cookie" { continue }
            json.key(name)
            json.write(value)
        }
        json.endObject()
        json.key("body")
        if response.body.isEmpty {
            json.writeNull()
        } else if type.contains("json"),
            let value = try? JSONParser.parse(response.body, maximumDepth: JSONParser.depthLimit)
        {
            json.write(value)
        } else if let text = String(validating: response.body, as: UTF8.self) {
            json.write(text)
        } else {
            json.write(Base64.encode(response.body))
            json.member("encoding", "base64")
        }
        if let omission = answer.omission { json.member("omitted", omission.rawValue) }
        json.endObject()
    }
}
