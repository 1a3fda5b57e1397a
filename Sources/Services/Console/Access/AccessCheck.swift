package import SwiftletJSON

/// One line of `access.json`: who, which table, and what is expected, of a row or of how many are seen.
package struct AccessCheck: Sendable {
    package enum Expectation: Sendable {
        /// How many rows are seen, and of how many; nil where any number will do.
        case seen(Int, of: Int?)
        case verdict(action: String, isAllowed: Bool)
    }

    package let who: JSONObject
    package let schema: String
    package let table: String
    package let key: [String?]?
    package let expectation: Expectation

    /// Throws ``ConsoleError`` that names the entry.
    package static func list(_ text: [UInt8]) throws -> [AccessCheck] {
        guard let entries = try? JSONParser.parse(text).array else {
            throw ConsoleError.bad("It is no JSON array of checks.")
        }
        return try entries.enumerated().map { try AccessCheck($1, number: $0 + 1) }
    }

    private init(_ json: JSONValue, number: Int) throws {
        guard let who = json["who"]?.object, let table = json["table"]?.string, let expected = json["expect"] else {
            throw ConsoleError.bad("Check \(number) lacks one of who, table, expect.")
        }
        self.who = who
        self.table = table
        schema = json["schema"]?.string ?? "public"
        key = json["key"]?.array?.map(\.string)
        let action = json["action"]?.string ?? "select"
        if let seen = expected["seen"]?.int {
            expectation = .seen(seen, of: expected["of"]?.int)
        } else if let isAllowed = expected.bool, key != nil, PolicySet.Action(rawValue: action) != nil,
            action != "insert"
        {
            expectation = .verdict(action: action, isAllowed: isAllowed)
        } else {
            throw ConsoleError.bad(
                "Check \(number): expect is {\"seen\": 3, \"of\": 5}, or true or false beside a key and an action."
            )
        }
    }

    /// Who and what, in a few words.
    package var subject: String {
        let name = who["account"]?.string ?? who["kind"]?.string ?? who["claims"]?["sub"]?.string ?? "claims"
        let row = key.map { " row \($0.map { $0 ?? "null" }.joined(separator: ", "))" } ?? ""
        return "\(name) on \(schema).\(table)\(row)"
    }

    /// Nil if it holds, else what was found instead.
    package func run(_ tester: AccessTester) async throws -> String? {
        var question = AccessQuestion(who: who, schema: schema, table: table)
        question.key = key
        question.limit = 1
        let answer = try await tester.answer(question)
        switch expectation {
        case .seen(let seen, let all):
            let isRight = answer.seen == seen && (all == nil || answer.examined == all)
            let expected = all.map { "\(seen) of \($0)" } ?? "\(seen)"
            return isRight ? nil : "sees \(answer.seen ?? 0) of \(answer.examined) rows, expected \(expected)"
        case .verdict(let action, let isAllowed):
            guard let verdict = answer.rows.first?.verdict(action) else { return "the row is not there" }
            if verdict.result == isAllowed { return nil }
            return "\(action) is \(verdict.result ? "allowed" : "refused"), expected otherwise: \(verdict.text)"
        }
    }
}
