import SwiftletAuth
import SwiftletHTTP
import SwiftletOutbound

/// Sends signed requests to a bucket.
struct S3Client: Sendable {
    private let base: String
    private let signature: AWSSignature
    private let trust: Trust
    /// For one request, connecting included.
    let timeout: Duration

    /// The signature covers the head alone: TLS protects the body, and a digest would need another pass over it.
    private static let unsigned = (name: "x-amz-content-sha256", value: "UNSIGNED-PAYLOAD")
    private static let maximumAnswerBytes = 2 << 20

    init(_ settings: S3Settings, timeout: Duration = .seconds(30)) {
        var endpoint = settings.endpoint
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        base = "\(endpoint)/\(settings.bucket)"
        signature = AWSSignature(
            region: settings.region,
            service: "s3",
            accessKey: settings.accessKey,
            secretKey: settings.secretKey.withBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
        )
        trust = settings.trust
        self.timeout = timeout
    }

    /// Sends a request, and once more if the server was out of reach or busy, where it may be
    /// repeated.
    ///
    /// A cancelled task waits for the answer, so that nothing happens behind its back. Throws ``StorageError`` for
    /// statuses other than 2xx, except for those that are expected.
    func send(
        _ method: String,
        _ key: ObjectKey?,
        query: String = "",
        _ body: [UInt8] = [],
        headers: [(name: String, value: String)] = [],
        expecting expected: Set<Int> = [],
        mayRepeat: Bool = true
    ) async throws -> HTTPResponse {
        let path = key.map { "/\($0)" } ?? ""
        return try await send(
            method,
            path: path + query,
            body,
            headers: headers,
            expecting: expected,
            mayRepeat: mayRepeat
        )
    }

    /// The same of any path below the bucket, which is encoded and may have a query.
    func send(
        _ method: String,
        path: String,
        _ body: [UInt8] = [],
        headers: [(name: String, value: String)] = [],
        expecting expected: Set<Int> = [],
        mayRepeat: Bool = true
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method, "\(base)\(path)", body: body, headers: headers + [Self.unsigned])
        request.signature = signature
        // A MiB a second at least, either way.
        request.timeout = timeout + .seconds(body.count >> 20)
        // A large part may take all of it on its way there.
        request.idleTimeout = request.timeout
        request.maximumBodyBytes = Self.maximumAnswerBytes
        request.isRepeatable = mayRepeat
        // libcurl would call a body a form.
        if !body.isEmpty, !headers.contains(where: { $0.name == "Content-Type" }) {
            request.headers.append(("Content-Type", "application/octet-stream"))
        }
        var outcome = await attempt(request)
        if mayRepeat, Self.isTemporary(outcome) { outcome = await attempt(request) }
        let response: HTTPResponse
        do {
            response = try outcome.get()
        } catch {
            throw StorageError.unavailable("the S3 server: \(error)")
        }
        guard (200..<300).contains(response.status) || expected.contains(response.status) else {
            throw StorageError.unavailable(Self.reason(response))
        }
        return response
    }

    /// The object at a path, which is encoded; nil if there is none. What is read is of one version of it.
    ///
    /// Statuses of `refusals` are about this object, not the server: there is none, or it is ``StorageError/damaged``.
    func open(_ path: String, pieceBytes: Int, refusals: Set<Int> = []) async throws -> StoredObject? {
        let head = try await send("HEAD", path: path, expecting: refusals.union([404]))
        guard (200..<300).contains(head.status) else { return nil }
        guard let length = head.header("Content-Length").flatMap(Int.init), length >= 0, let tag = head.header("ETag")
        else { throw StorageError.unavailable("the S3 server says no length, or no ETag") }
        return StoredObject(
            length: length,
            contentType: head.header("Content-Type").flatMap(MediaType.init) ?? .bytes,
            pieceBytes: pieceBytes
        ) { range in
            let headers = [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"), ("If-Match", tag)]
            let expected = refusals.union([404, 412, 416])
            let answer = try await send("GET", path: path, headers: headers, expecting: expected)
            guard answer.status == 206 || answer.status == 200 && range == 0..<length else {
                throw StorageError.damaged
            }
            return answer.body
        }
    }

    /// A task of its own is not cancelled with its caller's.
    private func attempt(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPFailure> {
        let trust = trust
        return await Task {
            do throws(HTTPFailure) {
                return .success(try await HTTPEngine.background(trust: trust).send(request))
            } catch {
                return .failure(error)
            }
        }.value
    }

    private static func isTemporary(_ outcome: Result<HTTPResponse, HTTPFailure>) -> Bool {
        switch outcome {
        case .success(let response): response.status >= 500
        case .failure(let failure): failure.isTemporary
        }
    }

    private static func reason(_ answer: HTTPResponse) -> String {
        let code = answer.element("Code").map { " \($0)" } ?? ""
        return "the S3 server answers \(answer.status)\(code)"
    }
}

extension HTTPResponse {
    /// The text of the first element of this name, see ``String``.
    func element(_ name: String) -> String? { String(decoding: body, as: UTF8.self).element(name) }
}
