import SwiftletAuth
import SwiftletInterface
import Foundation
import SwiftletBusiness
import SwiftletCheckIns
import SwiftletDeviceLogs
import Swiftlet
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

/// What `swiftlet generate swift` writes, in a program that talks to `swiftlet dev` with its demo data.
@Suite(.needsDatabase, .hangLimit)
struct GeneratedModelsTests {
    /// Lists whose resource renames or hides a column, so that its rows are no longer the table's.
    private static let reshaped = ["/notifications", "/service-tickets/:id/attachments"]
    private static let schemas = ["public", "gallery", "odd"]

    @Test func `models of every table compile without warnings, read every answer, and come back as they were sent`()
        async throws
    {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (process, url, environment) = try await serve(in: folder)
        var program = ModelProgram()
        var files = ["\(folder)/main.swift"]
        let connection = try BlockingConnection.connect(to: url)
        for name in Self.schemas {
            let file = "\(folder)/\(name).swift"
            let arguments = ["generate", "swift", "--schema", name, "-o", file]
            let generated = try await SwiftletProcess.run(arguments, in: folder, environment)
            #expect(generated.status == 0, "\(generated.errors)")
            files.append(file)
            let schema = try SchemaDescription(of: name, in: Catalog.read([name], from: connection))
            if name == "public" { addLists(of: schema, to: &program) }
            for relation in schema.relations where !relation.columns.isEmpty { program.add(relation, of: schema) }
        }
        program.add(Self.stories)
        try Data(program.source.utf8).write(to: URL(fileURLWithPath: files[0]))
        // Rows stand for themselves here.
        try connection.execute(Self.release)
        let check = "\(folder)/check"
        try await Tool.run(["swiftc", "-swift-version", "6", "-warnings-as-errors", "-Onone", "-o", check] + files)
        let address = try #require(process.text.firstMatch(of: /serves (\S+)/)).1
        let service = try TestApplication.token(claims: ["iss": "supabase", "role": "service_role"])
        let output = try await Tool.run([check, String(address), service, try Self.userToken()])
        for line in output.split(separator: "\n") where line != "all is well" { Issue.record("\(line)") }
        #expect(output.contains("all is well"))
        process.send(SIGTERM)
        _ = try await process.end()
    }

    /// The server, its database, and the environment that commands need to find it.
    private func serve(in folder: String) async throws -> (SwiftletProcess, String, [String: String]) {
        let url = try TestDatabase.createEmpty()
        let environment = [
            "DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "MIGRATIONS_DIR": TestDatabase.migrations,
            "REST_SCHEMAS": Self.schemas.joined(separator: ","),
        ]
        try BlockingConnection.connect(to: url).execute(OddSchema.script)
        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, environment)
        try await process.print(of: "Ctrl-C stops it.")
        return (process, url, environment)
    }

    /// Every list over a table, of every function that answers to a user.
    private func addLists(of schema: SchemaDescription, to program: inout ModelProgram) {
        for function in business.functions + checkIns.functions + deviceLogs.functions {
            for route in function.routes where route.method == .get {
                guard let table = route.table?.name, route.access != .person else { continue }
                let path = "/\(function.name)\(route.path)"
                if path.hasSuffix("/:id") || path.hasSuffix("/:child") || Self.reshaped.contains(path) { continue }
                program.addList(at: path, of: table, in: schema)
            }
        }
    }

    private static func userToken() throws -> String {
        try TestApplication.token(tenant: "acme", user: "a0000000-0000-4000-8000-000000000001", level: 8)
    }

    /// The service may do anything in these schemas, and no row needs another one.
    private static let release = """
        DO $$
        DECLARE
            name text;
            found record;
        BEGIN
            FOREACH name IN ARRAY ARRAY['\(schemas.joined(separator: "', '"))'] LOOP
                EXECUTE format('GRANT USAGE ON SCHEMA %I TO service_role', name);
                EXECUTE format('GRANT ALL ON ALL TABLES IN SCHEMA %I TO service_role', name);
                EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %I TO service_role', name);
            END LOOP;
            FOR found IN
                SELECT conrelid::regclass AS relation, conname FROM pg_constraint
                WHERE contype = 'f' AND connamespace::regnamespace::text IN ('\(schemas.joined(separator: "', '"))')
            LOOP
                EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.relation, found.conname);
            END LOOP;
        END $$;
        """

    /// What an app does with the models, beyond reading and inserting.
    private static let stories = #"""
        // Of functions, answers have times in whole seconds: what is finer stays in the database.
        let (whole, fine) = (Date(timeIntervalSince1970: 1_900_000_000), Date(timeIntervalSince1970: 1_900_000_000.75))
        for due in [whole, fine] {
            let new = PublicSchema.TasksInsert(tenantId: "acme", title: "Call", createdBy: "x", dueDate: due)
            let sent = try PublicSchema.encoder.encode(new)
            let made = try PublicSchema.decoder.decode(PublicSchema.TasksSelect.self, from: await user.send("POST", "/tasks", sent))
            let read = try PublicSchema.decoder.decode(
                PublicSchema.TasksSelect.self, from: await user.send("GET", "/tasks/\(made.id)"))
            guard made == read, made.title == "Call", made.dueDate == whole else {
                throw Difference(description: "\(made) is not \(read)")
            }
            let rows = try await service.send("GET", "/rest/v1/tasks?id=eq.\(made.id)", schema: "public")
            let kept = try PublicSchema.decoder.decode([PublicSchema.TasksSelect].self, from: rows)
            guard kept.first?.dueDate == due else { throw Difference(description: "\(kept) lacks \(due)") }
        }

        // An update sends what changes, and null where it is meant.
        let noon = try OddSchema.decoder.decode([Date].self, from: Data(#"["2026-01-31 12:30:00.123456+01"]"#.utf8))[0]
        let update = OddSchema._2FastUpdate(class: .null, mood: .class, naive: .set(noon))
        let encoder = OddSchema.encoder
        encoder.outputFormatting = .sortedKeys
        let change = try encoder.encode(update)
        let text = #"{"class":null,"mood":"class","naive":"2026-01-31T11:30:00.123456Z"}"#
        guard String(decoding: change, as: UTF8.self) == text,
            try OddSchema.decoder.decode(OddSchema._2FastUpdate.self, from: change) == update
        else { throw Difference(description: "the update is " + String(decoding: change, as: UTF8.self)) }
        let changed = try OddSchema.decoder.decode(
            [OddSchema._2FastSelect].self,
            from: await service.send("PATCH", "/rest/v1/2%20Fast?id=eq.1", schema: "odd", change))
        guard changed.count == 1, changed[0].class == nil, changed[0].mood == .class, changed[0].naive == noon,
            changed[0].word == .a, changed[0].state == .doneS
        else { throw Difference(description: "the update made \(changed)") }

        let word = try OddSchema.decoder.decode([OddSchema.Mood].self, from: Data(#"["later"]"#.utf8))
        guard word == [.unrecognized("later")], word[0].rawValue == "later" else {
            throw Difference(description: "unknown words are lost")
        }
        let person: any Identifiable = OddSchema.PeopleSelect(id: UUID(), name: "Ada")
        _ = person
        print("all is well")

        """#
}
