import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// What is known of a resource's results before there are any. A class, so that rows can keep it for a reference.
final class ResultLayout: Sendable {
    let table: String
    let row: RowLayout
    /// The keys of a row's members, in order.
    let names: [String]
    /// Each member as a layout of its own, to write its value alone.
    private let values: [String: RowLayout]
    /// Where the text of the row's key is in the result.
    private let keyPosition: Int

    init(table: String, _ members: [Member], keyPosition: Int) {
        self.table = table
        self.keyPosition = keyPosition
        names = members.map(\.name)
        row = RowLayout(members)
        values = members.reduce(into: [:]) { $0[$1.name] = RowLayout([$1]) }
    }

    /// A member of a row's JSON object.
    struct Member {
        let name: String
        /// The index of its column in the result.
        let position: Int
        let cell: RowLayout.Cell
    }

    /// The value of one member; nil if the rows have no such member.
    func value(_ name: String, of rows: borrowing Rows, _ index: Int) -> JSONValue? {
        guard let layout = values[name] else { return nil }
        var json = JSONWriter()
        RowJSON(layout).writeObjects(rows, index..<index + 1, to: &json)
        let bytes = json.finish()
        guard let object = try? JSONParser.parse(bytes, maximumDepth: JSONParser.depthLimit).object else {
            // Only nesting beyond all measure is not read again.
            return .string(String(decoding: bytes, as: UTF8.self))
        }
        return object[name]
    }

    /// The text of the column that names the row.
    func key(of rows: borrowing Rows, _ index: Int) -> String {
        String(utf8: rows.cell(index, keyPosition))
    }
}
