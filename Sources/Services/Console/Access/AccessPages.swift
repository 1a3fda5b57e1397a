import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// The access tester.
struct AccessPages: Sendable {
    let tester: AccessTester
    let database: ConsoleDatabase
    /// Nil where the server is not at somebody's desk.
    let checksFile: String?

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

    /// Adds a check to `access.json`, where the server was started by hand: elsewhere the page copies the line.
    func keep(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        guard let checksFile else { throw ConsoleError.notFound }
        let check = JSONValue.object(try asked.body())
        let line = check.description
        guard line.utf8.count <= 16 << 10 else { throw ConsoleError.bad("The check is too large.") }
        let subject = try AccessCheck.list(Array("[\(line)]".utf8)).first?.subject ?? ""
        let count = try await asked.context.offload { try AccessCheckFile(path: checksFile).add(check) }
        let number = try await database.write { transaction in
            try await OperatorAction(action: "keep check", object: subject, after: line).write(asked, in: transaction)
        }
        return .json([
            "file": .string(AccessCheckFile.name), "count": .number(JSONNumber(count)),
            "audit": .number(JSONNumber(number)),
        ])
    }
}
