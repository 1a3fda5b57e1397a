extension JSONWriter {
    /// Begins `{"data":[…],"total":N,"page":1,"limit":25,"has_more":false}`; the rows follow.
    mutating func beginListEnvelope() {
        writeRaw(#"{"data":["#)
    }

    /// Ends the rows of which `total` exist and `count` are on the page. Counts may follow.
    mutating func endListRows(count: Int, total: Int, _ paging: Paging) {
        writeRaw("]")
        writeListMember("total", total)
        writeListMember("page", paging.page)
        writeListMember("limit", paging.limit)
        writeRaw(total - count > paging.offset ? #","has_more":true"# : #","has_more":false"#)
    }

    /// `,"key":value`, behind members that were written raw.
    mutating func writeListMember(_ key: String, _ value: Int) {
        writeRaw(",\"")
        writeRaw(key.utf8.span)
        writeRaw("\":")
        writeRaw(String(value).utf8.span)
    }

    mutating func endListEnvelope() {
        writeRaw("}")
    }
}
