package import SwiftletHTTP

/// Where the server listens, and the limits of its connections.
package struct HTTPServerConfiguration: Sendable {
    /// A name or an address; `0.0.0.0` and `::` mean every interface, and `::` includes IPv4.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; see ``HTTPServer/localPort``.
    package var port = 8000
    /// A socket that listens already, which the parent process holds: clients wait there while the server is started
    /// again. Then ``host`` and ``port`` do not count.
    package var inheritedSocket: CInt?
    package var limits = RequestLimits()
    /// From a request's first byte to the end of its head; then 408 and close. The same for a TLS handshake, after
    /// which the connection closes without a response.
    package var headerTimeout: Duration = .seconds(10)
    /// From the end of the head to the end of the body. Then 408 and close.
    package var bodyTimeout: Duration = .seconds(30)
    /// From the end of the request to its response. Then the handler is cancelled: 503 and close.
    package var requestTimeout: Duration = .seconds(30)
    /// Between requests; before the first one it is `headerTimeout`. Then the connection closes without a response.
    package var idleTimeout: Duration = .seconds(75)
    /// How long a client may take no byte of a pending response. Then the connection closes.
    package var sendTimeout: Duration = .seconds(30)
    /// How long input is still read after the last response, so that the client can read it (RFC 9112 §9.6).
    package var lingerTimeout: Duration = .seconds(2)
    /// Over all loops. Further clients wait in the kernel's queue until another connection closes; the longest idle ones
    /// are closed for them.
    package var maximumConnections = 10_000
    /// From one address, or one IPv6 network of 64 bits; further ones are closed. nil: a quarter of all for public
    /// addresses, no limit for private ones, such as a proxy's.
    package var maximumConnectionsPerAddress: Int?
    /// Per loop, for the content of all requests that are arriving or being answered, but for the first 16 KiB of
    /// each. Beyond it, a client that sends more gets 503.
    package var maximumHeldBodyBytes = 67_108_864
    /// Per loop, for large responses that clients have not taken (``UnreadOutput``). Beyond it, a further large
    /// read should get 503; at twice as much for all responses, the slowest readers are cut off.
    package var maximumHeldOutputBytes = 67_108_864

    /// Without it the server speaks plain HTTP.
    package var tls: TLSConfiguration?

    package init() {}
}
