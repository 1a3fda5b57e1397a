import SwiftletAuth
import SwiftletBlockingPool
import SwiftletOutbound

/// Sends signed requests to a bucket, on threads of its own.
struct S3Client: Sendable {
    private let base: String
    private let signature: AWSSignature
    private let http: HTTPClient
    private let threads = BlockingPool("s3", width: 16)

    /// The signature covers the head alone: TLS protects the body, and a digest would need another pass over it.
    private static let unsigned = (name: "x-amz-content-sha256", value: "UNSIGNED-PAYLOAD")
    private static let maximumAnswerBytes = 2 << 20

    init(_ settings: S3Settings) {
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
        var http = HTTPClient(trust: settings.trust)
        http.timeout = .seconds(30)
        http.maximumBodyBytes = Self.maximumAnswerBytes
        // A server of the same network, such as MinIO's container, often has no TLS.
        http.allowsPlainHTTP = true
        http.kept = KeptHandles()
        self.http = http
    }

    /// Sends a request, and once more if the server was out of reach or busy, where it may be
    /// repeated.
    ///
    /// A cancelled task waits for the answer, so that nothing happens behind its back. Throws ``StorageError`` for
    /// statuses other than 2xx, except for those that are expected.
    func send(
        _ method: OutboundRequest.Method,
        _ key: ObjectKey?,
        query: String = "",
        _ body: [UInt8] = [],
        headers: [(name: String, value: String)] = [],
        expecting expected: Set<Int> = [],
        mayRepeat: Bool = true
    ) async throws -> OutboundResponse {
        let path = key.map { "/\($0)" } ?? ""
        var request = OutboundRequest(method, "\(base)\(path)\(query)", body, headers: headers + [Self.unsigned])
        request.signature = signature
        let (http, sent) = (http, request)
        return try await threads.finish {
            var response = Result { () throws(OutboundError) in try http.send(sent) }
            if mayRepeat, Self.isTemporary(response) {
                response = Result { () throws(OutboundError) in try http.send(sent) }
            }
            let answer: OutboundResponse
            do {
                answer = try response.get()
            } catch {
                throw StorageError.unavailable("the S3 server: \(error)")
            }
            guard (200..<300).contains(answer.status) || expected.contains(answer.status) else {
                throw StorageError.unavailable(Self.reason(answer))
            }
            return answer
        }
    }

    private static func isTemporary(_ response: Result<OutboundResponse, OutboundError>) -> Bool {
        switch response {
        case .success(let answer): answer.status >= 500
        case .failure(let error): error.isTemporary
        }
    }

    private static func reason(_ answer: OutboundResponse) -> String {
        let code = answer.element("Code").map { " \($0)" } ?? ""
        return "the S3 server answers \(answer.status)\(code)"
    }
}

extension OutboundResponse {
    /// The text of the first element of this name, see ``String``.
    func element(_ name: String) -> String? { String(decoding: body, as: UTF8.self).element(name) }
}
