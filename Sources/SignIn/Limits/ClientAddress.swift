import HTTP

/// The IP address of the client, possibly behind proxies on this host or network.
///
/// For a public peer, it is the peer's own address. A peer with a loopback or private address may be a proxy: then the
/// last public address in `X-Forwarded-For` is used, which is the one that our outermost proxy has seen. So one
/// attacker does not lock out everybody behind the proxy. Clients on our own network can forge the address, but the
/// limit per account still holds.
struct ClientAddress: Hashable, Sendable {
    /// Canonical, without port and zone, valid for PostgreSQL's `inet`; empty for a peer without an IP address.
    let text: String

    init(_ request: Request) {
        self.init(peer: request.remoteAddress, forwarded: request.combinedHeader("X-Forwarded-For"))
    }

    init(peer: String, forwarded: String?) {
        let peerAddress = IPAddress(peer)
        guard let forwarded, peerAddress?.isPrivate ?? true else {
            text = peerAddress?.text ?? ""
            return
        }
        let hops = forwarded.split(separator: ",").suffix(Self.maximumHops).reversed().map { IPAddress(String($0)) }
        // An invalid entry was not written by our proxies: nothing before it is trusted.
        let ours = hops.prefix { $0?.isPrivate == true }
        let outside = ours.count < hops.count ? hops[ours.count] : nil
        text = (outside ?? ours.last.flatMap { $0 } ?? peerAddress)?.text ?? ""
    }

    private static let maximumHops = 16
}
