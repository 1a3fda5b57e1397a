import SwiftletClient

/// What was found, exact matches first.
public struct SearchResults: Codable, Sendable, Hashable {
    public var results: [SearchResult]
    public var total: Int
    /// The kinds that could not be searched at the moment.
    public var degraded: [String]?

    public init(results: [SearchResult], total: Int) {
        self.results = results
        self.total = total
    }
}

/// One row of any kind that holds what was sought.
public struct SearchResult: Codable, Sendable, Hashable, Identifiable {
    public var id: String
    /// What the app opens: `customer`, `lead`, `contact`, `ticket`, `quote`, `invoice`, `task`, …
    public var type: String
    public var title: String?
    public var subtitle: String?
    public var matchField: String?

    public init(id: String, type: String) {
        self.id = id
        self.type = type
    }
}
