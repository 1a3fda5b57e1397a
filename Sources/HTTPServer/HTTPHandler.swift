package import HTTP

/// What the server does with requests, and with what never became one.
package struct HTTPHandler: Sendable {
    /// Answers a request, on the connection's loop. Cancelled when the client is gone or the time is up.
    ///
    /// One with more content than the server takes comes without it (``HTTP/Request/isTooLarge``), for a 413 in the
    /// form that its path calls for; the connection closes behind it.
    package let respond: @Sendable (Request) async -> Response
    /// Gives the body and the headers of an answer that the server makes by itself. Called on a loop: it must be quick.
    package let refuse: @Sendable (Refusal) -> Response

    package init(
        respond: @escaping @Sendable (Request) async -> Response,
        refuse: @escaping @Sendable (Refusal) -> Response
    ) {
        self.respond = respond
        self.refuse = refuse
    }
}
