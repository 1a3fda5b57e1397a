import SwiftletBytes
import SwiftletJSON

/// Where the next page of a list begins. Clients hand it back as they got it.
struct ListCursor {
    let name: String
    let time: String?
    private let order: String

    init(_ sort: ListSort, name: String, time: String?) {
        self.name = name
        self.time = time
        order = Self.order(sort)
    }

    /// Throws ``FilesError`` for what is no cursor of a list in this order.
    init(_ text: String, _ sort: ListSort) throws(FilesError) {
        let bytes = Base64URL.decode(Array(text.utf8).span)
        guard let values = bytes.flatMap({ try? JSONParser.parse($0).array }), values.count == 3,
            values[0].string == Self.order(sort), let name = values[1].string,
            sort.column == .name || values[2].string != nil
        else { throw FilesError(400, "InvalidParameter", "InvalidParameter", "Invalid cursor") }
        self.name = name
        time = values[2].string
        order = Self.order(sort)
    }

    var text: String {
        let values: JSONValue = [.string(order), .string(name), time.map { .string($0) } ?? .null]
        return Base64URL.encode(Array(values.description.utf8).span)
    }

    private static func order(_ sort: ListSort) -> String {
        "\(sort.column.rawValue) \(sort.isDescending ? "desc" : "asc")"
    }
}
