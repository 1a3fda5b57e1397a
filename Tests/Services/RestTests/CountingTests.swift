import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// How many rows there are, where it depends on those of embedded relations.
@Suite(.needsDatabase, .hangLimit) struct CountingTests {
    /// A request, how it wants the rows counted, and the range and total that it gets.
    private static let counts: [(String, String, String)] = [
        ("shelves?select=id,b:books()&or=(b.not.is.null,id.eq.3)", "exact", "0-2/3"),
        ("shelves?select=id,books!inner(loans!inner())&books.loans.days=gt.7", "exact", "0-1/2"),
        ("books?select=id,genres!book_genres!inner(),...writer(name)&writer=not.is.null", "exact", "0-2/3"),
        ("authors?select=id,books!writer!inner()&books.offset=1", "exact", "0-0/1"),
        ("authors?select=id,books!writer!inner()&books.limit=0", "exact", "*/0"),
        // Aggregates make a row of none.
        ("authors?select=id,books!writer!inner(pages.sum())", "exact", "0-2/3"),
        ("books?select=shelf_id,...writer!inner(name.max())", "exact", "0-1/3"),
        ("books?select=id,first_genre!inner()&first_genre.name=eq.crime", "exact", "0-1/2"),
        ("rpc/all_books?select=id,shelves!inner()&shelves.name=eq.A", "exact", "0-1/2"),
        // PostgreSQL knows nothing of the rows, but that a key refers to one.
        ("books?select=id,writer()&writer=is.null", "planned", "0-0/1"),
    ]

    @Test func `counts rows by what is embedded in them`() async throws {
        try await RestServer.with(schema: "library.sql") {
            $0.allowsAggregates = true
        } _: { rest in
            // With a limit the rows are counted apart from those that are read.
            for (path, count, range) in Self.counts + Self.counts.map({ ($0 + "&limit=9", $1, $2) }) {
                let response = try await rest.send(.get, path, "", ["Prefer": "count=\(count)"])
                #expect(response.headers["Content-Range"] == range, "\(path): \(response.text)")
            }
        }
    }
}
