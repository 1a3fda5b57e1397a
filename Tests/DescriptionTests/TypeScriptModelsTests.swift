import Foundation
import Postgres
import SwiftletTesting
import Testing

@testable import Description

@Suite(.needsDatabase) struct TypeScriptModelsTests {
    @Test func `types of every table are accepted in strict mode, and say what columns allow`() async throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(OddSchema.script)
        let schemas = try ["public", "odd"].map { try DescriptionReader.read($0, from: connection) }
        try await Tool.inFolder { folder in
            try Data(TypeScriptModels(schemas).text.utf8).write(to: folder.appending(path: "database.ts"))
            let file = folder.appending(path: "use.ts")
            try Data(Self.use.utf8).write(to: file)
            try await Tool.run(["tsc", "--strict", "--noEmit", "--target", "es2020", file.path])
            // What must not be accepted.
            try Data((Self.use + Self.misuse).utf8).write(to: file)
            let refusal = await #expect(throws: Tool.Failure.self) {
                try await Tool.run(["tsc", "--strict", "--noEmit", "--target", "es2020", file.path])
            }
            #expect(refusal?.description.contains("'\"closed\"' is not assignable") == true)
            #expect(refusal?.description.contains("'null' is not assignable") == true)
        }
    }

    private static let use = """
        import { Database } from "./database"

        type Fast = Database["odd"]["Tables"]["2 Fast"]
        const row: Pick<Fast["Row"], "class" | "address" | "state"> = {
          class: null, address: { street: "Elm", "house number": 5, home: "2 late", day: null }, state: "done's",
        }
        const insert: Fast["Insert"] = { "größe": 1.5, a: [1, 2], moods: ["happy"], j: { a: [1, null] } }
        const update: Fast["Update"] = { class: null }
        const key: "2 Fast_user_id_fkey" | "2 Fast_userId_fkey" = null! as Fast["Relationships"][number]["foreignKeyName"]
        const name: Database["odd"]["Views"]["names"]["Row"]["name"] = null
        const sum: Database["odd"]["Functions"]["add"]["Returns"] = 1
        const sumOf: Database["odd"]["Functions"]["add"]["Args"] = { a: 1 }
        const people: Database["odd"]["Functions"]["everyone"]["Returns"] = [{ id: "", name: "" }]
        const pair: Database["odd"]["Functions"]["pair"]["Returns"] = { x: 1, y: "happy" }
        const mood: Database["odd"]["Enums"]["mood"] = "all_caps"
        const task: Database["public"]["Tables"]["tasks"]["Row"]["title"] = ""

        """

    private static let misuse = """
        const closed: Fast["Update"] = { state: "closed" }
        const nobody: Fast["Update"] = { kind: null }

        """
}
