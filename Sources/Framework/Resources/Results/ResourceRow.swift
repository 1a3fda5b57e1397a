import SwiftletPostgres
public import SwiftletWeb

/// A row of a resource as clients see it. It owns its cells, so a handler may keep it as long as it likes.
///
///     let quote = try await quotes.create(values, in: context)
///     for line in lines { try await quoteLines.create(line, in: context, parent: quote) }
///     return quote.response(.created)
///
/// Nothing is written or parsed before it is asked for.
public struct ResourceRow: Sendable {
    /// Keys of the body that match no column, and so were not stored. A row that was only read has none.
    public private(set) var ignoredFields: [String] = []

    private let result: ResourceResult
    private let index: Int

    init(_ result: ResourceResult, _ index: Int) {
        self.result = result
        self.index = index
    }

    /// The first row of a result.
    init(_ rows: consuming Rows, _ layout: ResultLayout, ignoring keys: [String] = []) {
        self.init(ResourceResult(rows, layout), 0)
        ignoredFields = keys
    }

    /// The text of the column that names the row, as in `/:id`.
    public var key: String { result.layout.key(of: result.rows, index) }

    /// The table's name without its schema.
    package var table: String { result.layout.table }

    /// The value that clients read under `name`, its dates normalized; nil if they read none under it. One cell is read
    /// for it, on each access.
    public subscript(_ name: String) -> JSONValue? {
        result.layout.value(name, of: result.rows, index)
    }

    /// All values as clients read them. For a few of them, the subscript is cheaper.
    public func object() -> JSONObject {
        var json = JSONWriter(minimumCapacity: result.layout.row.template.usualBytes)
        write(to: &json)
        let whole = try? JSONParser.parse(json.finish(), maximumDepth: JSONParser.depthLimit).object
        return whole ?? result.layout.names.reduce(into: JSONObject()) { $0[$1] = self[$1] }
    }

    /// The row as a bare object, and its ``ignoredFields`` in `X-Ignored-Fields`.
    public func response(_ status: Status = .ok) -> Response {
        var json = JSONWriter(minimumCapacity: result.layout.row.template.usualBytes)
        write(to: &json)
        var response = Response(json: json, status)
        response.nameIgnoredFields(ignoredFields)
        return response
    }

    /// The same row, with the keys that a body had beside those of columns.
    func ignoring(_ keys: [String]) -> ResourceRow {
        var row = self
        row.ignoredFields = keys
        return row
    }

    fileprivate func write(to json: inout JSONWriter) {
        RowJSON(result.layout.row).writeObjects(result.rows, index..<index + 1, to: &json)
    }
}

extension JSONWriter {
    /// Writes a row as an object, straight from its cells.
    public mutating func write(_ row: ResourceRow) {
        separate()
        row.write(to: &self)
    }

    /// Writes the name of a member and a row as its value.
    public mutating func member(_ name: StaticString, _ row: ResourceRow) {
        key(name)
        write(row)
    }
}
