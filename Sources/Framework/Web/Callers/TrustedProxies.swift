/// The networks of the operator's proxies.
package struct TrustedProxies: Sendable {
    private let networks: [(address: IPAddress, bits: Int)]

    /// Each item is an address, or a network such as `10.0.0.0/8`. nil if one is neither.
    package init?(_ items: [String]) {
        var networks: [(IPAddress, Int)] = []
        for item in items {
            let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let address = IPAddress(String(parts[0])) else { return nil }
            let width = address.bytes.count * 8
            let bits = parts.count == 1 ? width : Int(parts[1]) ?? -1
            guard (0...width).contains(bits) else { return nil }
            networks.append((address, bits))
        }
        self.networks = networks
    }

    func contain(_ address: IPAddress) -> Bool {
        networks.contains { network in
            guard network.address.bytes.count == address.bytes.count else { return false }
            return zip(network.address.bytes, address.bytes).enumerated().allSatisfy { index, pair in
                let bits = min(8, max(0, network.bits - index * 8))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
                return pair.0 & mask == pair.1 & mask
            }
        }
    }
}
