import SwiftletWeb

extension RateSettings {
    private static let accepted = """
        a comma list such as address=600/1m, account=300/1m, tenant=6000/1m, all=20000/1m, account@reports=10/1h; \
        windows are from 1s to 1d
        """

    init(_ reader: inout SettingsReader, trusting proxies: TrustedProxies?) {
        self.init()
        trustedProxies = proxies
        isShared = reader.flag("RATE_LIMIT_SHARED", default: true)
        let items: [Item] = reader.read("RATE_LIMIT", default: [], accepted: Self.accepted) { text in
            let items = SettingsReader.items(text).map(Item.init)
            let names = items.map { "\($0?.limit.partition.rawValue ?? "")@\($0?.function ?? "")" }
            return items.contains { $0 == nil } || Set(names).count < names.count ? nil : items.compactMap(\.self)
        }
        general = items.filter { $0.function == nil }.map(\.limit)
        for item in items {
            if let function = item.function { functions[function, default: []].append(item.limit) }
        }
    }

    private struct Item {
        let limit: RateLimit
        let function: String?

        /// `account@reports=10/1h`
        init?(_ text: String) {
            guard
                let match = text.wholeMatch(
                    of:
                        #/(address|account|tenant|all)(?:@([A-Za-z0-9._~\-]{1,100}))?=([0-9]{1,9})\/([0-9]{1,5})([smhd])/#
                ), let count = Int(match.3), count > 0, let number = Int(match.4)
            else { return nil }
            let seconds = number * (["s": 1, "m": 60, "h": 3600, "d": 86_400][match.5] ?? 0)
            guard (1...86_400).contains(seconds) else { return nil }
            let partition = RateLimit.Partition(rawValue: String(match.1)) ?? .everyone
            limit = RateLimit(count, per: .seconds(seconds), by: partition)
            function = match.2.map(String.init)
        }
    }
}
