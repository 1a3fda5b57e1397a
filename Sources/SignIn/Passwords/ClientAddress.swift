package import HTTP

/// From where a request comes, seen through a proxy on this host or network.
///
/// A peer outside is taken at its word only for its own address. A peer with a loopback or private address may be a
/// proxy: then the last address in `X-Forwarded-For` that is not private counts, which is the one that the outermost of
/// our own proxies has seen. Without this, one stranger's wrong passwords would lock everybody behind the proxy out. The
/// price: whoever is on our own network can name any address; the limit per account holds there all the same.
package struct ClientAddress: Hashable, Sendable {
    /// Canonical, without port and zone, as PostgreSQL's `inet` reads it; empty for a peer without one, as on a socket.
    package let text: String

    package init(_ request: Request) {
        self.init(peer: request.remoteAddress, forwarded: request.combinedHeader("X-Forwarded-For"))
    }

    init(peer: String, forwarded: String?) {
        let peerAddress = IPAddress(peer)
        guard let forwarded, peerAddress?.isPrivate ?? true else {
            text = peerAddress?.text ?? ""
            return
        }
        let hops = forwarded.split(separator: ",").suffix(Self.maximumHops).reversed().map { IPAddress(String($0)) }
        // What cannot be read was not written by a proxy of ours: nothing before it is trusted.
        let ours = hops.prefix { $0?.isPrivate == true }
        let outside = ours.count < hops.count ? hops[ours.count] : nil
        text = (outside ?? ours.last.flatMap { $0 } ?? peerAddress)?.text ?? ""
    }

    private static let maximumHops = 16

    /// What counts as one place: an IPv4 address, or the 64 bits of an IPv6 network. Other texts stand for themselves.
    package static func network(of address: String) -> String {
        IPAddress(address)?.network ?? address
    }
}
