import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

/// Lists whose rows change between the statement that reads them and the one that counts them.
@Suite(.needsDatabase, .hangLimit)
struct TotalTests {
    /// A list, the ids of its rows, and its total. Ten rows are there at first; the count finds three.
    @Test(
        arguments: [
            ("/falling", 10, 10, false), ("/falling?limit=4", 4, 4, false), ("/falling?limit=2", 2, 3, true),
            ("/falling?limit=4&page=3", 2, 10, false), ("/falling?limit=4&page=4", 0, 3, false),
            ("/rising", 3, 3, false), ("/rising?limit=2", 2, 10, true), ("/rising?limit=2&page=2", 1, 3, false),
            ("/rising?page=2", 0, 10, false), ("/rising?offset=9223372036854775807", 0, 10, false),
        ]
    )
    func `a total agrees with the rows beside it`(target: String, rows: Int, total: Int, hasMore: Bool) async throws {
        try await Office.with([falling, rising], sql: schema) { office in
            let page = try await office.ask(.ann, .get, target).json
            #expect(page["data"]?.array?.count == rows)
            #expect(page["total"]?.int == total)
            #expect(page["has_more"]?.bool == hasMore)
        }
    }

    private let falling = Function("falling") { Resource("falling", scope: .tenant).routes(.list) }
    private let rising = Function("rising") { Resource("rising", scope: .tenant).routes(.list) }

    /// Each reading of a view draws ten numbers.
    private let schema = """
        CREATE SEQUENCE numbers;
        CREATE VIEW falling AS
            SELECT id, 'a'::text AS tenant_id FROM generate_series(1, 10) AS id WHERE nextval('numbers') <= 13;
        CREATE VIEW rising AS
            SELECT id, 'a'::text AS tenant_id FROM generate_series(1, 10) AS id WHERE nextval('numbers') > 7;
        """
}
