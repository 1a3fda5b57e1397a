import SwiftletPostgres
public import SwiftletWeb

/// One page of a list: its rows, and how many there are in all.
public struct ResourcePage: Sendable {
    /// How many rows the caller can reach with these filters, on all pages.
    public let total: Int
    /// The numbers that the resource declares by ``Count``.
    public let counts: [(key: String, value: Int)]
    private let paging: Paging
    /// nil if the database lacks the table.
    private let result: ResourceResult?

    /// The first page is 1.
    public var page: Int { paging.page }

    /// How many rows a page has at most.
    public var limit: Int { paging.limit }

    /// Whether there are rows behind this page.
    public var hasMore: Bool { total - count > paging.offset }

    init(_ result: ResourceResult?, total: Int, counts: [(key: String, value: Int)], _ paging: Paging) {
        self.result = result
        self.total = total
        self.counts = counts
        self.paging = paging
    }

    /// 200 `{"data":[…],"total":N,"page":1,"limit":25,"has_more":false}`, and the ``counts`` behind them.
    public func response() -> Response {
        let rowBytes = result.map { $0.layout.row.template.usualBytes } ?? 0
        var json = JSONWriter(minimumCapacity: 128 + count * rowBytes)
        json.writeRaw(#"{"data":["#)
        if let result { RowJSON(result.layout.row).writeObjects(result.rows, 0..<count, to: &json) }
        json.writeRaw("]")
        json.writeListMember("total", total)
        json.writeListMember("page", page)
        json.writeListMember("limit", limit)
        json.writeRaw(hasMore ? #","has_more":true"# : #","has_more":false"#)
        for (key, value) in counts { json.writeListMember(key, value) }
        json.writeRaw("}")
        return Response(json: json)
    }
}

/// The rows of the page.
extension ResourcePage: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { result?.rows.count ?? 0 }

    public subscript(_ position: Int) -> ResourceRow {
        guard let result, indices.contains(position) else { preconditionFailure("the page has no row \(position)") }
        return ResourceRow(result, position)
    }
}

extension JSONWriter {
    /// `,"key":value`, behind members that were written raw.
    fileprivate mutating func writeListMember(_ key: String, _ value: Int) {
        writeRaw(",\"")
        writeRaw(key.utf8.span)
        writeRaw("\":")
        writeRaw(String(value).utf8.span)
    }
}
