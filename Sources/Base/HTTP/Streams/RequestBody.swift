/// The content of a request in the order of its arrival, to be read once.
///
///     for try await chunk in request.bodyChunks { … }
///
/// While nobody reads, nothing more is taken from the client than a few kilobytes. Throws ``RequestBodyError``, or
/// `CancellationError` once the client is gone.
public struct RequestBody: AsyncSequence, Sendable {
    let stream: BodyStream?
    let whole: [UInt8]

    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: BodyStream?
        var whole: [UInt8]

        public mutating func next() async throws -> [UInt8]? {
            if let stream { return try await stream.next() }
            defer { whole = [] }
            return whole.isEmpty ? nil : whole
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: stream, whole: whole) }
}

/// Why the content of a request did not arrive as a whole.
public enum RequestBodyError: Error, Hashable, Sendable {
    /// It exceeds the route's limit: 413.
    case tooLarge
    /// Its framing is broken (RFC 9112 §7.1): 400.
    case malformed
    /// The client has stopped in the middle of it: 400.
    case incomplete
}

extension Request {
    /// The content as it arrives, on a route that streams it; on others, and if it has come with the head, all at once.
    public var bodyChunks: RequestBody { RequestBody(stream: storage.stream, whole: storage.body) }

    /// Where the content goes while it arrives; nil if it is complete.
    package var bodyStream: BodyStream? { storage.stream }
}
