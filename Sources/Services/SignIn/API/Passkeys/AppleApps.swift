import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// What Apple's systems ask a domain for before an app may use its passkeys and passwords. It has to be served by the
/// domain that the credentials are bound to.
struct AppleApps: Sendable {
    let ids: [String]

    var function: Function {
        Function(".well-known") {
            Get("/apple-app-site-association") { _, _ in
                .json(.ok, ["webcredentials": ["apps": .array(ids.map(JSONValue.string))]])
            }
        }
        .checkedByHandlers()
        .unlisted()
    }
}
