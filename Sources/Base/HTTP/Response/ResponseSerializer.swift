/// Serializes responses as HTTP/1.1 messages (RFC 9112 §4).
package enum ResponseSerializer {
    /// The longest status line, `Content-Length` and `Connection` together take less.
    private static let maximumFramingBytes = 160

    /// Appends one complete response.
    ///
    /// For HEAD, 204, 205 and 304 the body is not sent. HEAD still has the `Content-Length` of GET, unless the
    /// response omits it; 204 and 304 have none (RFC 9110 §8.6). A status that is not a final one is sent as 500, as it
    /// would leave the client waiting.
    ///
    /// Of a streamed response it is the head alone; its body is chunked if no length is known and the version has
    /// chunks.
    package static func append(
        _ response: borrowing Response,
        to output: inout [UInt8],
        isHead: Bool = false,
        version: HTTPVersion = .http11,
        keepAlive: Bool = true,
        date: HTTPDate
    ) {
        let status = (200...999).contains(response.status.rawValue) ? response.status : .internalServerError
        let hasContent = status != .noContent && status != .notModified
        let hasLength = hasContent && !(isHead && response.omitsLength)
        let hasBody = !isHead && hasContent && status != .resetContent
        let isStreamed = response.stream != nil
        let length = status == .resetContent ? 0 : isStreamed ? response.stream?.length : response.body.count
        let connection: StaticString =
            if !keepAlive {
                "Connection: close\r\n\r\n"
            } else if version == .http10 {
                "Connection: keep-alive\r\n\r\n"
            } else {
                "\r\n"
            }
        let bodyBytes = hasBody && !isStreamed ? response.body.count : 0
        let reason = printable(response.reason)
        let capacity =
            maximumFramingBytes + (reason?.count ?? 0) + date.line.count + response.headers.lines.count + bodyBytes
        output.append(addingCapacity: capacity) { span in
            if let reason {
                appendStatusLine(status, reason, to: &span)
            } else {
                appendStatusLine(status, to: &span)
            }
            span.append(date.line)
            span.append(response.headers.lines)
            if hasLength {
                if let length {
                    span.append("Content-Length: ")
                    span.append(decimal: length)
                    span.append("\r\n")
                } else if version != .http10 {
                    span.append("Transfer-Encoding: chunked\r\n")
                }
            }
            span.append(connection)
            if hasBody { span.append(response.body) }
        }
    }

    /// Appends a part of a chunked body (RFC 9112 §7.1).
    package static func appendChunk(_ bytes: [UInt8], to output: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        output += Array(String(bytes.count, radix: 16).utf8) + [13, 10]
        output += bytes
        output += [13, 10]
    }

    /// Ends a chunked body.
    package static func appendLastChunk(to output: inout [UInt8]) {
        output += Array("0\r\n\r\n".utf8)
    }

    /// Appends the interim response to `Expect: 100-continue`.
    package static func appendContinue(to output: inout [UInt8]) {
        output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
    }

    /// Appends the head after which the connection is a WebSocket (RFC 6455 §4.2.2).
    package static func appendUpgrade(_ response: borrowing Response, accept: String, to output: inout [UInt8]) {
        output += "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n".utf8
        output += "Sec-WebSocket-Accept: \(accept)\r\n".utf8
        output += response.headers.lines
        output += "\r\n".utf8
    }

    private static func printable(_ reason: String?) -> [UInt8]? {
        reason.flatMap { text in text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? Array(text.utf8) : nil }
    }

    private static func appendStatusLine(_ status: Status, to output: inout OutputSpan<UInt8>) {
        switch status.rawValue {
        case 200: output.append("HTTP/1.1 200 OK\r\n")
        case 201: output.append("HTTP/1.1 201 Created\r\n")
        case 204: output.append("HTTP/1.1 204 No Content\r\n")
        case 400: output.append("HTTP/1.1 400 Bad Request\r\n")
        case 401: output.append("HTTP/1.1 401 Unauthorized\r\n")
        case 404: output.append("HTTP/1.1 404 Not Found\r\n")
        default: appendStatusLine(status, Array(status.reasonPhrase.utf8), to: &output)
        }
    }

    private static func appendStatusLine(_ status: Status, _ reason: [UInt8], to output: inout OutputSpan<UInt8>) {
        output.append("HTTP/1.1 ")
        output.append(decimal: status.rawValue)
        output.append(UInt8(ascii: " "))
        output.append(reason)
        output.append("\r\n")
    }
}

extension OutputSpan<UInt8> {
    @inline(__always)
    fileprivate mutating func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(copying: $0) }
    }

    @inline(__always)
    fileprivate mutating func append(_ text: StaticString) {
        unsafe append(copying: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    private mutating func append(copying source: UnsafeBufferPointer<UInt8>) {
        precondition(source.count <= freeCapacity, "the reserved capacity is too small")
        unsafe withUnsafeMutableBufferPointer { buffer, initializedCount in
            let free = unsafe UnsafeMutableBufferPointer(rebasing: buffer[initializedCount...])
            _ = unsafe free.update(fromContentsOf: source)
            initializedCount &+= source.count
        }
    }

    /// `value` is not negative.
    fileprivate mutating func append(decimal value: Int) {
        if value >= 10 { append(decimal: value / 10) }
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }
}
