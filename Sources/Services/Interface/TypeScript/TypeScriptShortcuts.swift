/// What programs name rows by: `Tables<"tasks">`, `TablesInsert<"tasks">`, `Enums<"mood">`, and for another schema
/// `Tables<{ schema: "odd" }, "people">`.
enum TypeScriptShortcuts {
    /// `defaultSchema` is the one that needs not be named.
    static func text(defaultSchema: String) -> String {
        """

        type DatabaseWithoutInternals = Omit<Database, "__InternalSupabase">

        type DefaultSchema = DatabaseWithoutInternals[Extract<keyof Database, \(TypeScriptModels.literal(defaultSchema))>]

        type SchemaOption = { schema: keyof DatabaseWithoutInternals }

        type Relations<Schema extends keyof DatabaseWithoutInternals> =
          DatabaseWithoutInternals[Schema]["Tables"] & DatabaseWithoutInternals[Schema]["Views"]

        type DefaultRelations = DefaultSchema["Tables"] & DefaultSchema["Views"]

        export type Tables<
          NameOrOption extends keyof DefaultRelations | SchemaOption,
          Name extends NameOrOption extends SchemaOption ? keyof Relations<NameOrOption["schema"]> : never = never,
        > = NameOrOption extends SchemaOption
          ? Relations<NameOrOption["schema"]>[Name] extends { Row: infer Row } ? Row : never
          : NameOrOption extends keyof DefaultRelations
            ? DefaultRelations[NameOrOption] extends { Row: infer Row } ? Row : never
            : never

        \(change("TablesInsert", "Insert"))

        \(change("TablesUpdate", "Update"))

        \(type("Enums"))

        \(type("CompositeTypes"))


        """
    }

    private static func change(_ name: String, _ member: String) -> String {
        """
        export type \(name)<
          NameOrOption extends keyof DefaultSchema["Tables"] | SchemaOption,
          Name extends NameOrOption extends SchemaOption
            ? keyof DatabaseWithoutInternals[NameOrOption["schema"]]["Tables"]
            : never = never,
        > = NameOrOption extends SchemaOption
          ? DatabaseWithoutInternals[NameOrOption["schema"]]["Tables"][Name] extends { \(member): infer Values }
            ? Values
            : never
          : NameOrOption extends keyof DefaultSchema["Tables"]
            ? DefaultSchema["Tables"][NameOrOption] extends { \(member): infer Values } ? Values : never
            : never
        """
    }

    private static func type(_ kind: String) -> String {
        """
        export type \(kind)<
          NameOrOption extends keyof DefaultSchema["\(kind)"] | SchemaOption,
          Name extends NameOrOption extends SchemaOption
            ? keyof DatabaseWithoutInternals[NameOrOption["schema"]]["\(kind)"]
            : never = never,
        > = NameOrOption extends SchemaOption
          ? DatabaseWithoutInternals[NameOrOption["schema"]]["\(kind)"][Name]
          : NameOrOption extends keyof DefaultSchema["\(kind)"] ? DefaultSchema["\(kind)"][NameOrOption] : never
        """
    }
}
