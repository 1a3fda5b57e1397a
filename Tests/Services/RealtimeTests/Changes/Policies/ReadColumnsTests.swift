import SwiftletJSON
import Testing

@testable import SwiftletRealtime

@Suite struct ReadColumnsTests {
    private func table(_ columns: String...) -> TableFacts {
        let columns = columns.map { TableFacts.Column(name: $0, type: "text", isKey: false, policyType: nil) }
        return TableFacts(relation: 1, schema: "public", name: "notes", columns: columns, version: "1")
    }

    @Test(arguments: [
        ("(body IS NULL)", false),
        (#"("Kept ""from""" IS NULL)"#, false),
        ("(notes.body = 'x'::text)", false),
        ("may_read(notes.*)", false),
        ("(EXISTS ( SELECT 1 FROM other WHERE (other.of = notes.body)))", false),
        ("true", true),
        ("(id = ( SELECT auth.uid() AS uid))", true),
        ("(id = 'body'::text)", true),
        ("(id = 'it''s body'::text)", true),
        ("((id)::body = id)", true),
    ])
    func `knows which columns a condition reads`(condition: String, isEnough: Bool) {
        let columns = ReadColumns(table("id", "body", #"Kept "from""#), condition)
        #expect(columns.areIn(["id": "1"]) == isEnough)
        #expect(columns.areIn(["id": "1", "body": .null, #"Kept "from""#: .null]))
    }
}
