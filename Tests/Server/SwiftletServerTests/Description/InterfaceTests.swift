import Foundation
import SwiftletJSON
import SwiftletTesting
import Testing

/// What `/openapi.json` says, judged by a validator, and by a client that does whatever it allows to `swiftlet dev`.
@Suite(.needsDatabase, .hangLimit)
struct InterfaceTests {
    @Test func `the document is valid, and no answer of the running server contradicts it`() async throws {
        try await requireJudges()
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
        try await Tool.run([Python.interpreter, "-m", "openapi_spec_validator", "--errors", "all", file])

        let text = try String(contentsOfFile: file, encoding: .utf8)
        // It would hide every status that is not listed.
        #expect(!text.contains(#""default""#))
        let user = try TestApplication.token(tenant: "acme", user: Self.ada, level: 8)
        let functions = server + "/functions/v1"
        let everything = ["--phases", "fuzzing", "--max-examples", "5", "--exclude-tag", "rest"]
        try await Self.call(functions, by: file, as: user, everything)
        // Each bound of each value; of resources, which are alike, some.
        let some = ["tasks", "service-tickets", "devices"].flatMap { ["--include-tag", $0] }
        try await Self.call(functions, by: file, as: user, ["--phases", "coverage"] + some)
        // Rows are returned on request only; without them an answer has no content.
        let tables = ["--phases", "coverage", "--include-path-regex", "^/rest/v1/(equipment|tasks)$"]
        let representation = ["--header", "Prefer: return=representation"]
        try await Self.call(server, by: file, as: user, tables + representation)

        // The judge can say no: here to a document that lacks a status, and to one with another type.
        for (found, replacement) in [
            (#""404""#, #""410""#), (#""total":{"type":"integer"}"#, #""total":{"type":"string"}"#),
        ] {
            try #require(text.contains(found))
            try Data(text.replacing(found, with: replacement).utf8).write(to: URL(fileURLWithPath: file))
            await #expect(throws: Tool.Failure.self) {
                let tasks = ["--phases", "coverage", "--include-path-regex", "^/tasks", "--max-failures", "1"]
                try await Self.call(functions, by: file, as: user, tasks)
            }
        }
        process.send(SIGTERM)
        _ = try await process.end()
    }

    private static let ada = "a0000000-0000-4000-8000-000000000001"

    /// Throws what schemathesis says if an answer has a status of 500 or more, or one that the document lacks, or does
    /// not match its schema. The same seed gives the same calls.
    private static func call(_ url: String, by file: String, as user: String, _ options: [String]) async throws {
        let checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        try await Tool.run(
            [
                Python.interpreter, "-m", "schemathesis.cli", "run", file, "--url", url,
                "--header", "Authorization: Bearer \(user)", "--checks", checks, "--seed", "1",
                "--generation-deterministic", "--no-shrink", "--warnings", "off",
            ] + options,
            in: URL(filePath: file).deletingLastPathComponent().path
        )
    }

    /// These come from PyPI. Without them, nothing of the interface is checked: that is no reason to skip it.
    private func requireJudges() async throws {
        do {
            try await Tool.run([Python.interpreter, "-c", "import openapi_spec_validator, schemathesis"])
        } catch {
            let advice = "run `.ci/setup test`, which installs openapi-spec-validator and schemathesis from PyPI"
            throw Tool.Failure(description: "\(error): \(advice)")
        }
    }
}
