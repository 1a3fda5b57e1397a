/// Types for `createClient<Database>` of supabase-js, in the shape of `supabase gen types typescript`.
package struct TypeScriptModels {
    private let schemas: [SchemaDescription]

    package init(_ schemas: [SchemaDescription]) { self.schemas = schemas }

    package var text: String {
        var writer = SourceWriter(indentation: 2)
        writer.text("// Made by `swiftlet generate typescript`. Do not edit.\n\n")
        writer.text(Self.json)
        writer.block("export type Database =") { writer in
            writer.line("// For clients, which follow it in what they take and give.")
            writer.block("__InternalSupabase:") { $0.line("PostgrestVersion: \"13\"") }
            for schema in schemas {
                writer.block("\(Self.key(schema.name)):") { TypeScriptSchema(schema).write(to: &$0) }
            }
        }
        let names = schemas.map(\.name)
        writer.text(
            TypeScriptShortcuts.text(defaultSchema: names.contains("public") ? "public" : names.first ?? "public")
        )
        writer.block("export const Constants =", end: "} as const") { writer in
            for schema in schemas {
                writer.block("\(Self.key(schema.name)):", end: "},") {
                    TypeScriptSchema(schema).writeConstants(to: &$0)
                }
            }
        }
        return writer.source
    }

    private static let json = """
        export type Json =
          | string
          | number
          | boolean
          | null
          | { [key: string]: Json | undefined }
          | Json[]


        """

    /// Quoted where it is no identifier.
    static func key(_ name: String) -> String {
        let isIdentifier =
            name.unicodeScalars.first.map { !("0"..."9").contains($0) } == true
            && name.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
                    || $0 == "$"
            }
        return isIdentifier ? name : literal(name)
    }

    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            default:
                // The last two end a line in JavaScript.
                if scalar.value < 0x20 || scalar.value == 0x2028 || scalar.value == 0x2029 {
                    let digits = String(scalar.value, radix: 16)
                    literal += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    literal.unicodeScalars.append(scalar)
                }
            }
        }
        return literal + "\""
    }
}
