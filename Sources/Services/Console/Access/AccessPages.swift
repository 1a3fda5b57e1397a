import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The access tester.
struct AccessPages: Sendable {
    let tester: AccessTester
    let database: ConsoleDatabase

    func test(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        var question = AccessQuestion(
            who: body["who"]?.object ?? [:],
            schema: body["schema"]?.string ?? "public",
            table: body["table"]?.string ?? ""
        )
        question.filters = body["filters"] ?? .array([])
        question.limit = body["limit"]?.int ?? 50
        question.insert = body["insert"]?.object
        question.tries = body["try"]?.bool ?? false
        let answer = try await tester.answer(question)
        return .json(answer.json)
    }

    /// What each role may do with each table.
    func matrix(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { .text(try await $0.json(AccessMatrix.statement)) }
    }
}
