package import SwiftletJSON

/// The path of a claim in a token: the names of the members from the outermost object inwards.
package struct ClaimPath: Hashable, Sendable {
    package let names: [String]

    private static let maximumDepth = 8

    package init?(names: [String]) {
        guard (1...Self.maximumDepth).contains(names.count), names.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.names = names
    }

    /// Takes `app_metadata.tenant_id`; text with a slash, such as `https://example.com/tenant`, is a single name.
    package init?(_ text: String) {
        let names =
            text.contains("/") ? [text] : text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        self.init(names: names)
    }

    package func value(in claims: JSONValue) -> JSONValue? {
        var value = claims
        for name in names {
            guard let next = value[name] else { return nil }
            value = next
        }
        return value
    }
}
