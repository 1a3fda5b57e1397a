import SwiftletWeb

/// What everybody may read of the server itself, and where its metrics are.
struct PageSettings: Sendable {
    let shown: PublicPages
    let showsDescription: Bool
    /// The port that serves `/metrics` and nothing else.
    let metricsPort: Int?

    init(_ reader: inout SettingsReader, port: Int) {
        let words = ["metrics", "functions", "openapi"]
        let shown = reader.read(
            "PUBLIC_PAGES",
            default: words,
            accepted: "a comma list of \(words.joined(separator: ", ")), or none"
        ) { text in
            let items = SettingsReader.items(text.lowercased())
            return items == ["none"] ? [] : items.allSatisfy(words.contains) ? items : nil
        }
        metricsPort = reader.limit("METRICS_PORT", in: 0...65535)
        if let metricsPort, metricsPort != 0, metricsPort == port {
            reader.refuse("METRICS_PORT is the same as PORT: choose another one, which only your own network reaches")
        }
        var pages = PublicPages()
        if shown.contains("metrics"), metricsPort == nil { pages.insert(.metrics) }
        if shown.contains("functions") { pages.insert(.functionNames) }
        self.shown = pages
        showsDescription = shown.contains("openapi")
    }
}
