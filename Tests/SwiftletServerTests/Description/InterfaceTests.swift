import Foundation
import JSON
import SwiftletTesting
import Testing

/// What `/openapi.json` says, judged by a validator, and by a client that does whatever it allows to `swiftlet dev`.
@Suite(.needsDatabase, .hangLimit)
struct InterfaceTests {
    @Test func `the document is valid, and no answer of the running server contradicts it`() async throws {
        try requireJudges()
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let environment = [
            "DATABASE_URL": try TestDatabase.createEmpty(), "JWT_SECRET": TestApplication.secret,
            "MIGRATIONS_DIR": TestDatabase.migrations, "STORAGE_PATH": "\(folder)/files",
        ]
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, environment)
        try await process.print(of: "Ctrl-C stops it.")
        let server = String(try #require(process.text.firstMatch(of: /serves (\S+)/)).1)
        let file = "\(folder)/openapi.json"
        let generated = try await SwiftletProcess.run(["generate", "openapi", "-o", file], in: folder, environment)
        #expect(generated.status == 0, "\(generated.errors)")
        try Tool.run([Python.interpreter, "-m", "openapi_spec_validator", "--errors", "all", file])

        let text = try String(contentsOfFile: file, encoding: .utf8)
        // It would hide every status that is not listed.
        #expect(!text.contains(#""default""#))
        let user = try TestApplication.token(tenant: "acme", user: Self.ada, level: 8)
        try Self.call(server, by: file, as: user, ["--phases", "coverage,fuzzing", "--max-examples", "2"])

        // The judge can say no: here to a document that lacks a status, and to one with another type.
        for (found, replacement) in [
            (#""404""#, #""410""#), (#""total":{"type":"integer"}"#, #""total":{"type":"string"}"#),
        ] {
            try #require(text.contains(found))
            try Data(text.replacing(found, with: replacement).utf8).write(to: URL(fileURLWithPath: file))
            #expect(throws: Tool.Failure.self) {
                let some = ["--phases", "coverage", "--include-tag", "tasks", "--include-method", "GET"]
                try Self.call(server, by: file, as: user, some)
            }
        }
        process.send(SIGTERM)
        _ = try await process.end()
    }

    private static let ada = "a0000000-0000-4000-8000-000000000001"

    /// Throws what schemathesis says if an answer has a status of 500 or more, or one that the document lacks, or does
    /// not match its schema. The same seed gives the same calls.
    private static func call(_ server: String, by file: String, as user: String, _ options: [String]) throws {
        let checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        try Tool.run(
            [
                Python.interpreter, "-m", "schemathesis.cli", "run", file, "--url", server + "/functions/v1",
                "--header", "Authorization: Bearer \(user)", "--checks", checks, "--seed", "1",
                "--generation-deterministic", "--no-shrink", "--warnings", "off",
            ] + options
        )
    }

    /// These come from PyPI. Without them, nothing of the interface is checked: that is no reason to skip it.
    private func requireJudges() throws {
        do {
            try Tool.run([Python.interpreter, "-c", "import openapi_spec_validator, schemathesis"])
        } catch {
            let advice = "run `.ci/setup test`, which installs openapi-spec-validator and schemathesis from PyPI"
            throw Tool.Failure(description: "\(error): \(advice)")
        }
    }
}
