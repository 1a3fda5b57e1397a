/// Makes the connection of a request a WebSocket: the server sends 101 in place of a response, and frames follow.
package struct WebSocketUpgrade: Sendable {
    /// See ``WebSocketHandshake/accept(_:)``.
    package let accept: String
    package let limits: WebSocketLimits
    /// Called once, on the connection's loop, behind the 101. It must be quick, as must be what it returns.
    package let open: @Sendable (any WebSocketPeer) -> any WebSocketSession

    package init(
        accept: String,
        limits: WebSocketLimits = WebSocketLimits(),
        open: @escaping @Sendable (any WebSocketPeer) -> any WebSocketSession
    ) {
        self.accept = accept
        self.limits = limits
        self.open = open
    }
}

/// What one client of a WebSocket may take.
package struct WebSocketLimits: Sendable {
    /// Of a message that the client sends, in all of its fragments; beyond it the socket closes with 1009.
    package var maximumMessageBytes = 5_000_000
    /// That a message may be cut into; beyond them the socket closes with 1009.
    package var maximumFragments = 4096
    /// That wait for the client to take them; one that leaves more is cut off.
    package var maximumUnsentBytes = 4_194_304
    /// Without a byte from the client. It is pinged after half of it, and the socket then closes with 1012.
    package var idleTimeout: Duration = .seconds(60)
    /// How long the client may take no byte of what waits, and how long it may take to answer a close.
    package var sendTimeout: Duration = .seconds(10)

    package init() {}
}

/// The client's end of a WebSocket. Used on the connection's loop only.
package protocol WebSocketPeer: AnyObject {
    /// Sends a frame of ``WebSocketFrames``, together with others of this turn. Does nothing once the socket is closing.
    func send(_ frame: [UInt8])

    /// Sends a close frame behind what waits, and ends the session.
    func close(_ code: WebSocketCloseCode)

    /// Nothing more is received until ``resume()``: what the client sends waits in its kernel, but for one read.
    func pause()
    func resume()

    /// What the client has not taken yet.
    var unsentBytes: Int { get }
}

/// The server's end of a WebSocket. Called on the connection's loop only.
package protocol WebSocketSession: AnyObject {
    /// Valid UTF-8.
    func received(text: [UInt8])
    func received(binary: [UInt8])

    /// Called once, when nothing can be sent or received any more.
    func ended()
}
