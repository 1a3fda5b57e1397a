package import HTTP

/// How requests are answered, and what is sent in place of an answer.
package struct HTTPHandler: Sendable {
    /// Answers a request, on the connection's loop. Cancelled when the client disconnects or the time limit is reached.
    ///
    /// A request whose body exceeds the limit comes without it (``HTTP/Request/isTooLarge``), so that the 413 has the
    /// format of its path; the connection closes after the response.
    ///
    /// A large response should be withheld when what clients of the same loop have left unread does not admit it.
    package let respond: @Sendable (Request, UnreadOutput) async -> Response
    /// How much content a request may have that is answered while it arrives; nil for others. It gets the request
    /// without its content, when that has not come with the head. Called on a loop: it must be quick.
    package let streamingLimit: @Sendable (Request) -> Int?
    /// Makes the response of a refusal. Called on a loop: it must be quick.
    package let refuse: @Sendable (Refusal) -> Response

    package init(
        respond: @escaping @Sendable (Request, UnreadOutput) async -> Response,
        streamingLimit: @escaping @Sendable (Request) -> Int? = { _ in nil },
        refuse: @escaping @Sendable (Refusal) -> Response
    ) {
        self.respond = respond
        self.streamingLimit = streamingLimit
        self.refuse = refuse
    }
}
