import SwiftletServer

@main struct Backend: SwiftletApp {
    let functions: [Function] = [orders]
    let settings = [
        Setting("SHOP_KEY", ShopKey.self, accepted: "the key that the shop sends") { $0 },
        Setting("WAREHOUSE_URL", WarehouseURL.self, accepted: "a URL") { $0 },
    ]
}
