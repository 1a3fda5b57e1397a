/// The form in which rows leave: what the statement makes of them.
enum ResultForm: Hashable, Sendable {
    /// No body.
    case none
    case array
    case object
    case csv
    /// A feature for each row, by PostGIS.
    case geoJSON
    /// The one value of a function.
    case value
    /// The values of a function that returns a set of them.
    case values
    case handler(MediaHandler, isScalar: Bool)

    /// An expression over the rows `alias`; `strip` leaves members out that are null.
    func sql(_ alias: String, strip: Bool) -> String {
        func stripped(_ json: String) -> String { strip ? "json_strip_nulls(\(json))" : json }
        return switch self {
        case .none: "NULL::text"
        case .array: stripped("coalesce(json_agg(\(alias)), '[]')")
        case .object: stripped("coalesce(json_agg(\(alias)) -> 0, 'null')")
        case .value: stripped("coalesce(json_agg(\(alias).pgrst_scalar) -> 0, 'null')")
        case .values: stripped("coalesce(json_agg(\(alias).pgrst_scalar), '[]')")
        case .geoJSON:
            "json_build_object('type', 'FeatureCollection', 'features', "
                + "coalesce(json_agg(ST_AsGeoJSON(\(alias))::json), '[]'))::text"
        case .csv:
            Self.names("(array_agg(row_to_json(\(alias))))[1]")
                + " || coalesce(E'\\n' || string_agg(\(Self.line(alias)), E'\\n'), '')"
        case .handler(let handler, let isScalar): handler.sql(alias, isScalar: isScalar)
        }
    }

    /// Rows leave as PostgreSQL prints them, not as JSON.
    var printsRows: Bool {
        switch self {
        case .csv, .handler(_, isScalar: false): true
        default: false
        }
    }

    /// Whether the body comes as hexadecimal digits.
    var isHexadecimal: Bool { if case .handler(let handler, _) = self { handler.isBytes } else { false } }

    /// The first line of CSV: the names of the columns of a row in JSON.
    static func names(_ row: String) -> String {
        "coalesce((SELECT string_agg(name, ',') FROM json_object_keys(\(row)) AS names (name)), '')"
    }

    /// A row as a line of CSV.
    static func line(_ alias: String) -> String { "substr(\(alias)::text, 2, length(\(alias)::text) - 2)" }
}
