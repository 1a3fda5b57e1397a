import SwiftletEventLoop
import SwiftletHTTP

/// What a connection speaks after a 101 response, in place of HTTP.
protocol UpgradedProtocol: AnyObject {
    /// Until when the peer may be silent.
    var deadline: LoopInstant { get }
    var wantsInput: Bool { get }
    /// Whether the peer leaves so much unread that the connection ends.
    var isOverloaded: Bool { get }

    func received(_ bytes: borrowing Span<UInt8>)
    func deadlinePassed()
    func outputBlocked(hasProgressed: Bool)
    func outputEmptied()
    /// Ends by this time, so that others have theirs.
    func drain(at time: LoopInstant)
    func finish(_ code: WebSocketCloseCode?)
    /// The connection is gone.
    func ended()
}
