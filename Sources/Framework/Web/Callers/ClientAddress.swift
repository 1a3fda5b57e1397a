package import SwiftletHTTP

/// The IP address of the client, possibly behind proxies on this host or network.
///
/// Without ``TrustedProxies``, for a public peer, it is the peer's own address. A peer with a loopback or private address may be a proxy: then the
/// last public address in `X-Forwarded-For` is used, which is the one that our outermost proxy has seen. So one
/// attacker does not lock out everybody behind the proxy. Clients on our own network can forge the address, and so can
/// all clients where a gateway hides them behind a private one: then the operator names the proxies, and the last address
/// that is none of theirs is used.
package struct ClientAddress: Hashable, Sendable {
    /// Canonical, without port and zone, valid for PostgreSQL's `inet`; empty for a peer without an IP address.
    package let text: String

    package init(_ request: Request, trusting proxies: TrustedProxies? = nil) {
        self.init(
            peer: request.remoteAddress,
            forwarded: request.combinedHeader("X-Forwarded-For"),
            trusting: proxies
        )
    }

    package init(peer: String, forwarded: String?, trusting proxies: TrustedProxies? = nil) {
        func isOurs(_ address: IPAddress) -> Bool { proxies?.contain(address) ?? address.isPrivate }
        let peerAddress = IPAddress(peer)
        guard let forwarded, peerAddress.map(isOurs) ?? (proxies == nil) else {
            text = peerAddress?.text ?? ""
            return
        }
        let hops = forwarded.split(separator: ",").suffix(Self.maximumHops).reversed().map { IPAddress(String($0)) }
        // An invalid entry was not written by our proxies: nothing before it is trusted.
        let ours = hops.prefix { $0.map(isOurs) == true }
        let outside = ours.count < hops.count ? hops[ours.count] : nil
        text = (outside ?? ours.last.flatMap { $0 } ?? peerAddress)?.text ?? ""
    }

    private static let maximumHops = 16
}
