/// A body that is produced while it is sent.
package struct ResponseStream: Sendable {
    /// Its length, if that is known in advance.
    package let length: Int?
    package let produce: @Sendable (ResponseWriter) async throws -> Void

    package init(length: Int?, produce: @escaping @Sendable (ResponseWriter) async throws -> Void) {
        self.length = length
        self.produce = produce
    }
}

/// Takes the body of a response piece by piece.
public struct ResponseWriter: Sendable {
    private let sink: any ResponseSink

    package init(_ sink: any ResponseSink) { self.sink = sink }

    /// Returns when the client has taken so much that there is room for more. Throws `CancellationError` once it is gone,
    /// and ``ResponseStreamError/tooLong`` for more than was announced.
    public func write(_ bytes: [UInt8]) async throws { try await sink.write(bytes) }
}

/// Where the bytes of a streamed response go.
package protocol ResponseSink: Sendable {
    func write(_ bytes: [UInt8]) async throws
}

public enum ResponseStreamError: Error, Hashable, Sendable {
    /// The body has more bytes than its `Content-Length` says.
    case tooLong
}

extension Response {
    /// A response whose body `stream` produces while it is sent, however large it is.
    ///
    ///     Response(headers: headers, contentLength: file.size) { writer in
    ///         for try await chunk in file.chunks { try await writer.write(chunk) }
    ///     }
    ///
    /// The status is sent before the first byte is there: if the closure throws, or writes less than `contentLength`, the
    /// connection breaks off, so that the client does not take a part for the whole. It is cancelled when the client
    /// disconnects, and not run for HEAD. Times in it are not normalized.
    public init(
        status: Status = .ok,
        headers: Headers = Headers(),
        contentLength: Int? = nil,
        stream: @escaping @Sendable (ResponseWriter) async throws -> Void
    ) {
        self.init(status: status, headers: headers)
        self.stream = ResponseStream(length: contentLength.map { max(0, $0) }, produce: stream)
    }

    /// The response with all of its body, for callers in this process. Throws what the body's producer throws.
    package func collected() async throws -> Response {
        guard let stream else { return self }
        let collector = Collector()
        try await stream.produce(ResponseWriter(collector))
        var response = self
        response.stream = nil
        response.body = await collector.bytes
        return response
    }
}

private actor Collector: ResponseSink {
    private(set) var bytes: [UInt8] = []

    func write(_ bytes: [UInt8]) { self.bytes += bytes }
}
