extension Request {
    /// Whether the client asked for unknown keys to be an error: `Prefer: handling=strict` (RFC 7240 §4.4). Of several
    /// preferences for the handling, the first counts (§2).
    public var prefersStrictHandling: Bool {
        guard let text = combinedHeader(.prefer)?.lowercased() else { return false }
        var isQuoted = false
        let preferences = text.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        for preference in preferences {
            // Parameters come after a semicolon.
            let parts = preference.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingSpaces() == "handling" else { continue }
            return ["strict", "\"strict\""].contains(parts[1].trimmingSpaces())
        }
        return false
    }
}
