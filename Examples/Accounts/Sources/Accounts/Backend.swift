import SwiftletServer

@main struct Backend: SwiftletApp {
    let functions: [Function] = [bookmarks]
}
