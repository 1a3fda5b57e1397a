/// Writes responses in HTTP/1.1's form (RFC 9112 §4).
package enum ResponseSerializer {
    /// Appends one whole response.
    ///
    /// On HEAD, 204, 205 and 304 the body stays behind. HEAD still tells the length that GET would have had; 204 and
    /// 304 tell none (RFC 9110 §8.6). A status that is no final one is written as 500: it would leave the client waiting.
    package static func append(
        _ response: borrowing Response,
        to output: inout [UInt8],
        isHead: Bool = false,
        version: HTTPVersion = .http11,
        keepAlive: Bool = true,
        date: HTTPDate
    ) {
        let status = (200...999).contains(response.status.rawValue) ? response.status : .internalServerError
        let hasBody = !isHead && status != .noContent && status != .resetContent && status != .notModified
        let length = status == .resetContent ? 0 : response.body.count
        reserve(output: &output, 192 + response.headers.lines.count + (hasBody ? length : 0))

        appendStatusLine(status, to: &output)
        output.append(contentsOf: date.line)
        output.append(contentsOf: response.headers.lines)
        if status != .noContent, status != .notModified {
            append("Content-Length: ", to: &output)
            append(decimal: length, to: &output)
            append("\r\n", to: &output)
        }
        if !keepAlive || response.closesConnection {
            append("Connection: close\r\n", to: &output)
        } else if version == .http10 {
            append("Connection: keep-alive\r\n", to: &output)
        }
        append("\r\n", to: &output)
        if hasBody { output.append(contentsOf: response.body) }
    }

    /// Appends the interim answer to `Expect: 100-continue`.
    package static func appendContinue(to output: inout [UInt8]) {
        append("HTTP/1.1 100 Continue\r\n\r\n", to: &output)
    }

    /// Grows by doubling: reserving exactly would copy everything again for each of many pipelined responses.
    private static func reserve(output: inout [UInt8], _ additional: Int) {
        let needed = output.count + additional
        if needed > output.capacity { output.reserveCapacity(max(needed, output.capacity * 2)) }
    }

    private static func appendStatusLine(_ status: Status, to output: inout [UInt8]) {
        switch status.rawValue {
        case 200: append("HTTP/1.1 200 OK\r\n", to: &output)
        case 201: append("HTTP/1.1 201 Created\r\n", to: &output)
        case 204: append("HTTP/1.1 204 No Content\r\n", to: &output)
        case 400: append("HTTP/1.1 400 Bad Request\r\n", to: &output)
        case 401: append("HTTP/1.1 401 Unauthorized\r\n", to: &output)
        case 404: append("HTTP/1.1 404 Not Found\r\n", to: &output)
        default:
            append("HTTP/1.1 ", to: &output)
            append(decimal: status.rawValue, to: &output)
            output.append(UInt8(ascii: " "))
            output.append(contentsOf: status.reasonPhrase.utf8)
            append("\r\n", to: &output)
        }
    }

    @inline(__always)
    private static func append(_ text: StaticString, to output: inout [UInt8]) {
        unsafe output.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
    }

    /// `value` is not negative.
    private static func append(decimal value: Int, to output: inout [UInt8]) {
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = value
        repeat {
            start &-= 1
            digits[start] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        for index in start..<20 { output.append(digits[index]) }
    }
}
