/// What a peer has sent: a whole message, or a control frame.
package enum WebSocketMessage: Equatable, Sendable {
    /// Valid UTF-8.
    case text([UInt8])
    case binary([UInt8])
    case ping([UInt8])
    case pong
    /// nil when the peer gave no code.
    case close(WebSocketCloseCode?)
}
