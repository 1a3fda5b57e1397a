import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON

/// The content of a request that writes: JSON, a form or CSV, as JSON text that PostgreSQL reads.
struct Content {
    let json: [UInt8]
    let isList: Bool
    /// The names of its members: of each object the same.
    let keys: [String]

    /// Throws ``RestError`` `PGRST102`. With `columns` the names of the members do not matter.
    init(_ request: Request, columns: [String]?) throws(RestError) {
        try self.init(body: request.body, ContentType(request), columns: columns)
    }

    /// The same with other content than the request's. `allowsValues`: JSON of any form counts, one without names then
    /// has none.
    init(body: [UInt8], _ type: ContentType, columns: [String]?, allowsValues: Bool = false) throws(RestError) {
        switch type {
        case .csv: try self.init(csv: body)
        case .form: self.init(form: Query(body))
        case .json: try self.init(json: body, columns: columns, allowsValues: allowsValues)
        case .text: throw .badContent("Content-Type not acceptable: text/plain")
        case .xml: throw .badContent("Content-Type not acceptable: text/xml")
        case .bytes: throw .badContent("Content-Type not acceptable: application/octet-stream")
        case .other(let name): throw .badContent("Content-Type not acceptable: \(name)")
        }
    }

    private init(json: [UInt8], isList: Bool, keys: [String]) {
        self.json = json
        self.isList = isList
        self.keys = keys
    }

    private init(json: [UInt8], columns: [String]?, allowsValues: Bool) throws(RestError) {
        var reader = ContentReader(json.span)
        do throws(JSONError) {
            try reader.read()
        } catch {
            throw .badContent("Empty or invalid json")
        }
        if allowsValues, !reader.hasObjects || !reader.isUniform {
            self.init(json: json, isList: reader.isList, keys: columns ?? [])
            return
        }
        guard reader.hasObjects else { throw .badContent("All object keys must match") }
        guard columns != nil || reader.isUniform else { throw .badContent("All object keys must match") }
        self.init(json: json, isList: reader.isList, keys: columns ?? reader.keys)
    }

    /// Of a list, what stands between its brackets: one object, where a call takes one.
    var firstObject: [UInt8] {
        guard isList, let value = try? JSONParser.parse(json), let first = value[0] else { return json }
        return Array(first.description.utf8)
    }

    /// A form is one object of texts.
    private init(form: Query) {
        var object = JSONObject()
        for (name, value) in form { object[name] = .string(value) }
        self.init(json: Array(JSONValue.object(object).description.utf8), isList: false, keys: object.keys)
    }

    private static func rows(_ csv: [UInt8]) throws(RestError) -> [[String]] {
        do throws(CSVReader.OpenQuotation) {
            return try CSVReader.read(csv).map { record in record.fields.map { $0 ?? "" } }
        } catch {
            throw .badContent("A quoted field of the CSV does not end")
        }
    }

    /// A header of names, and a row for each object; `NULL` is null.
    private init(csv: [UInt8]) throws(RestError) {
        var rows = try Self.rows(csv)
        guard !rows.isEmpty else { throw .badContent("Empty CSV") }
        let names = rows.removeFirst()
        var json = JSONWriter(minimumCapacity: csv.count * 2)
        json.beginArray()
        for row in rows {
            guard row.count == names.count else { throw .badContent("All lines must have same number of fields") }
            json.beginObject()
            for (name, value) in zip(names, row) {
                json.key(name)
                if value == "NULL" { json.writeNull() } else { json.write(value) }
            }
            json.endObject()
        }
        json.endArray()
        self.init(json: json.finish(), isList: true, keys: names)
    }
}

/// Checks JSON and collects the names of its objects.
private struct ContentReader: ~Escapable {
    private var scanner: JSONScanner
    private(set) var isList = false
    private(set) var hasObjects = true
    private(set) var isUniform = true
    private(set) var keys: [String] = []

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) {
        scanner = JSONScanner(bytes, allowsLoneSurrogates: true)
    }

    mutating func read() throws(JSONError) {
        let first = try scanner.next()
        isList = first == .beginArray
        if isList {
            var isFirst = true
            while true {
                let token = try scanner.next()
                if token == .endArray { break }
                try readObject(token, isFirst: isFirst)
                isFirst = false
            }
        } else {
            try readObject(first, isFirst: true)
        }
        _ = try scanner.next()
    }

    private mutating func readObject(_ first: JSONScanner.Token, isFirst: Bool) throws(JSONError) {
        guard first == .beginObject else {
            hasObjects = false
            return try scanner.skip(first)
        }
        var names: [String] = []
        while true {
            guard try scanner.next() == .name else { break }
            let start = scanner.start
            let end = scanner.closingQuote
            let quoted = scanner.bytes.extracting(start...end)
            names.append(text(quoted, hasEscapes: scanner.hasEscapes))
            try scanner.skip(scanner.next())
        }
        if isFirst { keys = distinct(names) } else if isUniform { isUniform = names == keys || Set(names) == Set(keys) }
    }

    private func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    private func text(_ quoted: borrowing Span<UInt8>, hasEscapes: Bool) -> String {
        if hasEscapes {
            var bytes: [UInt8] = []
            for index in quoted.indices { bytes.append(quoted[index]) }
            return (try? JSONParser.parse(bytes).string) ?? ""
        }
        let inner = quoted.extracting(1..<(quoted.count - 1))
        return unsafe inner.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
