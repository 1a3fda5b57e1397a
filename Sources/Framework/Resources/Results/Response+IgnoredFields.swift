import SwiftletWeb

extension Response {
    /// Names the body's unknown keys in `X-Ignored-Fields`, as far as they are valid in a header.
    mutating func nameIgnoredFields(_ keys: [String]) {
        list(keys, in: .xIgnoredFields)
    }
}
