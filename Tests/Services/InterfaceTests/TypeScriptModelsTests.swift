import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletInterface

@Suite(.needsDatabase) struct TypeScriptModelsTests {
    @Test func `types of every table are accepted in strict mode, and say what columns allow`() async throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(OddSchema.script + Self.more)
        let schemas = try ["public", "odd"].map {
            try SchemaDescription(of: $0, in: Catalog.read([$0], from: connection))
        }
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
            #expect(refusal?.description.contains("'\"nowhere\"' does not satisfy the constraint") == true)
            #expect(refusal?.description.contains("'\"none\"' is not assignable") == true)
        }
    }

    /// Functions over rows, and a key to a table of another schema that has the name of one here.
    private static let more = """
        CREATE FUNCTION odd.initial(odd.people) RETURNS text LANGUAGE sql AS 'SELECT left($1.name, 1)';
        CREATE FUNCTION odd.name(odd.people) RETURNS int LANGUAGE sql AS 'SELECT 1';
        CREATE FUNCTION odd.cars(person odd.people) RETURNS SETOF odd."2 Fast" LANGUAGE sql
            AS 'SELECT * FROM odd."2 Fast" WHERE user_id = person.id';
        CREATE FUNCTION odd.owner(odd."2 Fast") RETURNS SETOF odd.people ROWS 1 LANGUAGE sql
            AS 'SELECT * FROM odd.people WHERE id = $1.user_id';
        CREATE TABLE odd.users (id uuid PRIMARY KEY);
        CREATE TABLE odd.profiles (id uuid PRIMARY KEY REFERENCES auth.users, owner uuid REFERENCES odd.users);
        """

    private static let use = """
        import { CompositeTypes, Constants, Database, Enums, Tables, TablesInsert, TablesUpdate } from "./database"

        const person: Tables<{ schema: "odd" }, "people"> = { id: "", name: "", initial: null }
        const view: Tables<{ schema: "odd" }, "names">["name"] = null
        const titled: Tables<"tasks">["title"] = ""
        const added: TablesInsert<{ schema: "odd" }, "people"> = { name: "Ada" }
        const inserted: TablesInsert<"tasks">["title"] = ""
        const changed: TablesUpdate<"tasks"> = { title: "" }
        const feeling: Enums<{ schema: "odd" }, "mood"> = "happy"
        const place: CompositeTypes<{ schema: "odd" }, "address">["street"] = null
        const moods: readonly Enums<{ schema: "odd" }, "mood">[] = Constants.odd.Enums.mood
        const firstMood: "happy" = Constants.odd.Enums.mood[0]
        type Functions = Database["odd"]["Functions"]
        const options: Functions["cars"]["SetofOptions"] = {
          from: "people", to: "2 Fast", isOneToOne: false, isSetofReturn: true,
        }
        const owner: Functions["owner"]["SetofOptions"]["isOneToOne"] = true
        const all: Functions["everyone"]["SetofOptions"]["from"] = "*"
        const given: Functions["initial"]["Args"] = { "": person }
        const keys: Database["odd"]["Tables"]["profiles"]["Relationships"][number]["referencedRelation"] = "users"
        const onlyKey: Database["odd"]["Tables"]["profiles"]["Relationships"]["length"] = 1
        const version: Database["__InternalSupabase"]["PostgrestVersion"] = "13"

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
        type Nowhere = Tables<"nowhere">
        const none: Enums<{ schema: "odd" }, "mood"> = "none"

        """
}
