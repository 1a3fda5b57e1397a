/// The form of a list whose rows leave one by one. Together they are the bytes that ``ResultForm`` makes of all of them,
/// but for white space where nulls are left out.
struct RowForm: Sendable {
    /// An expression for a row.
    let row: String
    var opening = ""
    let separator: String
    var end = ""
    /// An expression for the bytes of all rows, near enough for a bound, as part of the statement that makes the whole.
    let length: String
}

extension ResultForm {
    /// nil for what is no list, or is made by a function of all rows. `isNested`: the values of a function are arrays or
    /// records.
    func rows(_ alias: String, strip: Bool, isNested: Bool = true) -> RowForm? {
        func stripped(_ json: String) -> String { strip ? "json_strip_nulls(\(json))" : json }
        func length(_ aggregate: String) -> String { "coalesce(octet_length(\(aggregate)), 0)" }
        // As `json_agg` has them: lines for what is nested, and none for other values.
        let (comma, line) = (", ", ", \n ")
        return switch self {
        case .array:
            RowForm(
                row: stripped("row_to_json(\(alias))"),
                opening: "[",
                separator: line,
                end: "]",
                length: length("json_agg(\(alias))::text")
            )
        case .values:
            RowForm(
                row: stripped("coalesce(to_json(\(alias).pgrst_scalar), 'null')"),
                opening: "[",
                separator: isNested ? line : comma,
                end: "]",
                length: length("json_agg(\(alias).pgrst_scalar)::text")
            )
        case .geoJSON:
            RowForm(
                row: "ST_AsGeoJSON(\(alias))",
                opening: #"{"type" : "FeatureCollection", "features" : ["#,
                separator: comma,
                end: "]}",
                length: length("json_agg(ST_AsGeoJSON(\(alias))::json)::text")
            )
        case .csv:
            RowForm(
                row:
                    "CASE row_number() OVER () WHEN 1 THEN \(Self.names("row_to_json(\(alias))")) || E'\\n' ELSE '' END"
                    + " || \(Self.line(alias))",
                separator: "\n",
                length: length("string_agg(\(Self.line(alias)), E'\\n')")
            )
        case .none, .object, .value, .handler: nil
        }
    }
}
