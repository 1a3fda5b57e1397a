package import SwiftletHTTP

/// How requests are answered, and what is sent in place of an answer.
package struct HTTPHandler: Sendable {
    /// Answers a request, on the connection's loop. Cancelled when the client disconnects or the time limit is reached.
    package let respond: @Sendable (Request) async -> Response
    /// Answers a request whose content exceeds the limit: with a 413 in the format of its path. It comes without its
    /// content, which is not read, and the connection closes after the response.
    package let refuseContent: @Sendable (Request) async -> Response
    /// How much content a request may have that is answered while it arrives; nil for others. It gets the request
    /// without its content, when that has not come with the head. Called on a loop: it must be quick.
    package let streamingLimit: @Sendable (Request) -> Int?
    /// Makes the response of a refusal. Called on a loop: it must be quick.
    package let refuse: @Sendable (Refusal) -> Response
    /// Told once of each answered request, with the response that the client gets: the answer, or what replaces one that
    /// is withheld. If the answer is streamed, this comes behind its last byte. Called on a loop: it must be quick.
    package let ended: @Sendable (Request, Response) -> Void

    package init(
        respond: @escaping @Sendable (Request) async -> Response,
        refuseContent: @escaping @Sendable (Request) async -> Response = { _ in Response(status: .contentTooLarge) },
        streamingLimit: @escaping @Sendable (Request) -> Int? = { _ in nil },
        refuse: @escaping @Sendable (Refusal) -> Response,
        ended: @escaping @Sendable (Request, Response) -> Void = { _, _ in }
    ) {
        self.respond = respond
        self.refuseContent = refuseContent
        self.streamingLimit = streamingLimit
        self.refuse = refuse
        self.ended = ended
    }
}
