import SwiftletServer

/// Copies of the items are served by the platform: see `migrations/0001_items.sql`.
@main struct Backend: SwiftletApp {
    let functions: [Function] = []
}
