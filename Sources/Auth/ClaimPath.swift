package import JSON

/// Where a claim is in a token: the names from the outermost object inwards.
package struct ClaimPath: Hashable, Sendable {
    package let names: [String]

    package init?(names: [String]) {
        guard (1...8).contains(names.count), names.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.names = names
    }

    /// `app_metadata.tenant_id`; a text with a slash in it, as `https://example.com/tenant`, is one name.
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
