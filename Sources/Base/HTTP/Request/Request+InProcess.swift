extension Request {
    /// Makes a request inside this process. It passes the same parser as one from the network.
    ///
    /// `Host` is added when missing, `Content-Length` always.
    package init(
        method: Method = .get,
        target: String,
        headers: Headers = Headers(),
        body: [UInt8] = [],
        remoteAddress: String = "127.0.0.1",
        limits: RequestLimits = RequestLimits()
    ) throws(ParseError) {
        var message = Array("\(method.rawValue) \(target) HTTP/1.1\r\n".utf8)
        if headers[.host] == nil { message.append(contentsOf: "Host: localhost\r\n".utf8) }
        message.append(contentsOf: headers.lines)
        message.append(contentsOf: "Content-Length: \(body.count)\r\n\r\n".utf8)
        message.append(contentsOf: body)

        var parser = RequestParser(limits: limits, remoteAddress: remoteAddress)
        guard case .request(let request, consumed: message.count) = try parser.parse(message.span) else {
            throw ParseError(.badRequest, "The request is not one message.")
        }
        self = request
    }
}

extension Request {
    /// Makes a request inside this process that passes the content of another on, as it arrives.
    package init(
        method: Method,
        target: String,
        headers: Headers,
        contentOf other: Request,
        remoteAddress: String
    ) throws(ParseError) {
        var message = Array("\(method.rawValue) \(target) HTTP/1.1\r\n".utf8)
        if headers[.host] == nil { message.append(contentsOf: "Host: localhost\r\n".utf8) }
        message.append(contentsOf: headers.lines)
        message.append(contentsOf: "\r\n".utf8)
        var parser = RequestParser(limits: RequestLimits(), remoteAddress: remoteAddress)
        guard case .request(let head, consumed: message.count) = try parser.parse(message.span) else {
            throw ParseError(.badRequest, "The request is not one message.")
        }
        self.init(storage: RequestStorage(head.storage, content: other.storage))
    }
}
