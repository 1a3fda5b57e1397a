package import HTTP

/// Where the server listens and what it puts up with.
package struct HTTPServerConfiguration: Sendable {
    /// A name or a number; `0.0.0.0` and `::` mean every address, and `::` takes IPv4 as well.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; see ``HTTPServer/localPort``.
    package var port = 8000
    package var limits = RequestLimits()
    /// From a request's first byte to the end of its head, and for a TLS handshake. Then 408 and close.
    package var headerTimeout: Duration = .seconds(10)
    /// From the end of the head to the end of the body. Then 408 and close.
    package var bodyTimeout: Duration = .seconds(30)
    /// From the end of the request to its response. Then the handler is cancelled: 503 and close.
    package var requestTimeout: Duration = .seconds(30)
    /// Between requests, and before the first one. Then the connection closes without a word.
    package var idleTimeout: Duration = .seconds(75)
    /// For how long a client may take no byte of a response that waits for it. Then the connection closes.
    package var sendTimeout: Duration = .seconds(30)
    /// For how long we read on behind our last word, so that the client can read it (RFC 9112 §9.6).
    package var lingerTimeout: Duration = .seconds(2)
    /// Over all loops. Further clients wait in the kernel's queue until somebody leaves.
    package var maximumConnections = 10000
    /// When so much waits for a client, its further requests wait too.
    package var maximumOutputBytes = 262_144
    /// When so much of further requests has come in during a response, the rest stays with the kernel.
    package var maximumPipelinedBytes = 16384
    /// Per loop; the kernel has a limit of its own (`net.core.somaxconn`).
    package var backlog: CInt = 4096

    /// Without it the server speaks plain HTTP.
    package var tls: TLSConfiguration?

    package init() {}
}
