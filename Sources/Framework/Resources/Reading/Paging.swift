import SwiftletHTTP
import SwiftletWeb

/// The page of a list that a request asks for, by `limit` and `page`, or `offset`. Invalid numbers are ignored.
struct Paging: Sendable {
    static let defaultLimit = 25
    static let maximumLimit = 500
    static let names: Set = ["limit", "page", "offset"]

    private static let usualLimits: Set = [10, 20, 25, 30, 50, 100, 200, 500]

    private(set) var limit = defaultLimit
    /// The first page is 1.
    private(set) var page = 1
    /// Rows to skip. Clamped to PostgreSQL's bigint; such pages are empty.
    private(set) var offset = 0

    /// The limit if many ask for it, so that it can be part of a statement's text. PostgreSQL takes a bound one for a
    /// tenth of all rows, and plans the statement anew for each value that it is given.
    var usualLimit: Int? { Self.usualLimits.contains(limit) ? limit : nil }

    /// Where nothing is skipped, the text says no offset, for the same reason.
    var isAtStart: Bool { offset == 0 }

    init() {}

    /// Ignores all other query parameters.
    init(_ query: Query) {
        var parameters = Parameters()
        for (name, value) in query where !value.isEmpty {
            _ = parameters.read(name, value)
        }
        self.init(parameters)
    }

    init(_ parameters: Parameters) {
        limit = min(parameters.limit ?? Self.defaultLimit, Self.maximumLimit)
        page = parameters.page ?? 1
        let (product, isTooLarge) = (page - 1).multipliedReportingOverflow(by: limit)
        offset = isTooLarge ? Int.max : product
        if let offset = parameters.offset {
            self.offset = offset
            // At one row a page, the number of the last one exceeds an `Int`.
            page = min(offset / limit, Int.max - 1) + 1
        }
    }

    /// The values of a request; nil if absent or invalid.
    struct Parameters {
        fileprivate var limit: Int?
        fileprivate var page: Int?
        fileprivate var offset: Int?

        /// Takes one query item; false if it says nothing about the page.
        mutating func read(_ name: String, _ value: String) -> Bool {
            switch name {
            case "limit": limit = Int(value).flatMap { $0 > 0 ? $0 : nil }
            case "page": page = Int(value).flatMap { $0 > 0 ? $0 : nil }
            case "offset": offset = Int(value).flatMap { $0 >= 0 ? $0 : nil }
            default: return false
            }
            return true
        }
    }
}
