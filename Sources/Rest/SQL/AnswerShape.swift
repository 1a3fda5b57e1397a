/// The form in which rows leave: what the statement makes of them.
enum AnswerShape: Hashable, Sendable {
    /// No body.
    case none
    case array
    case object
    case csv
    /// The one value of a function.
    case value
    /// The values of a function that returns a set of them.
    case values

    /// An expression over the rows `alias`; `strip` leaves members out that are null.
    func sql(_ alias: String, strip: Bool) -> String {
        func stripped(_ json: String) -> String { strip ? "json_strip_nulls(\(json))" : json }
        return switch self {
        case .none: "NULL::text"
        case .array: stripped("coalesce(json_agg(\(alias)), '[]')") + "::text"
        case .object: stripped("coalesce(json_agg(\(alias)) -> 0, 'null')") + "::text"
        case .value: "coalesce(json_agg(\(alias).swiftlet_value) -> 0, 'null')::text"
        case .values: "coalesce(json_agg(\(alias).swiftlet_value), '[]')::text"
        case .csv:
            "coalesce((SELECT string_agg(name, ',') FROM json_object_keys((array_agg(row_to_json(\(alias))))[1]) AS names (name)), '')"
                + " || coalesce(E'\\n' || string_agg(substr(\(alias)::text, 2, length(\(alias)::text) - 2), E'\\n'), '')"
        }
    }
}
