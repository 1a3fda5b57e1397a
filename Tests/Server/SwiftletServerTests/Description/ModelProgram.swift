import SwiftletJSON

@testable import SwiftletInterface

/// The source of a program that an app's author could have written with the generated models: it reads every table of a
/// running server, inserts a row and reads it again. Compiling takes most of the time, so there is one for all tables.
///
/// Its arguments are the server's address, the token of the service and that of a user.
struct ModelProgram {
    private(set) var source = support

    /// Reads all rows of `relation` by `/rest/v1`; of a table, also inserts one.
    mutating func add(_ relation: RelationDescription, of schema: SchemaDescription) {
        let names = SwiftTypeNames(schema)
        guard let types = names.relations[relation.name] else { return }
        let (kind, path) = (names.schema, SwiftName.literal(relation.name))
        let coders = "\(kind).decoder, \(kind).encoder"
        let name = SwiftName.literal(schema.name)
        if !relation.isView {
            let key = relation.primaryKey.map(SwiftName.literal).joined(separator: ", ")
            let sample = SwiftName.literal(SampleRow.json(relation, schema).description)
            source +=
                "await attempt { try await roundTrip(\(kind).\(types.select).self, \(kind).\(types.insert).self, \(coders), "
            source += "schema: \(name), table: \(path), key: [\(key)], sample: \(sample)) }\n"
        }
        source +=
            "await attempt { try await read(\(kind).\(types.select).self, \(coders), schema: \(name), table: \(path)) }\n"
    }

    /// Reads a list of a function, whose path may have the id of a row of the function's own list.
    mutating func addList(at path: String, of table: String, in schema: SchemaDescription) {
        let names = SwiftTypeNames(schema)
        guard let type = names.relations[table]?.select else { return }
        source +=
            "await attempt { try await readList(\(names.schema).\(type).self, \(names.schema).decoder, \(SwiftName.literal(path))) }\n"
    }

    mutating func add(_ text: String) { source += text }

    private static let support = #"""
        import Foundation
        #if canImport(FoundationNetworking)
        import FoundationNetworking
        #endif

        struct Difference: Error, CustomStringConvertible { let description: String }

        struct Server {
            let token: String

            func send(_ method: String, _ path: String, schema: String? = nil, _ body: Data? = nil) async throws -> Data {
                guard let url = URL(string: CommandLine.arguments[1] + path) else { throw Difference(description: path) }
                var request = URLRequest(url: url)
                request.httpMethod = method
                request.httpBody = body
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                request.setValue("return=representation", forHTTPHeaderField: "Prefer")
                request.setValue(schema, forHTTPHeaderField: "Accept-Profile")
                request.setValue(schema, forHTTPHeaderField: "Content-Profile")
                let (data, answer) = try await URLSession.shared.data(for: request)
                guard let status = (answer as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {
                    throw Difference(description: "\(method) \(path): " + String(decoding: data, as: UTF8.self))
                }
                return data
            }
        }

        let service = Server(token: CommandLine.arguments[2])
        let user = Server(token: CommandLine.arguments[3])

        /// Says what differs, and goes on with the next table.
        func attempt(_ body: () async throws -> Void) async {
            do { try await body() } catch { print("DIFFERENCE \(error)") }
        }

        func rest(_ table: String) -> String { "/rest/v1/" + escaped(table) }

        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        }

        func explained<Value>(_ place: String, _ body: () throws -> Value) throws -> Value {
            do { return try body() } catch { throw Difference(description: "\(place): \(error)") }
        }

        typealias Object = [String: PublicSchema.JSONValue]

        func read<Row: Codable & Equatable>(
            _ type: Row.Type, _ decoder: JSONDecoder, _ encoder: JSONEncoder, schema: String, table: String
        ) async throws {
            let data = try await service.send("GET", rest(table), schema: schema)
            try explained(table) {
                let rows = try decoder.decode([Row].self, from: data)
                guard !rows.isEmpty else { throw Difference(description: "no rows") }
                let again = try decoder.decode([Row].self, from: encoder.encode(rows))
                guard rows == again else { throw Difference(description: "other rows when written and read") }
            }
        }

        func roundTrip<Row: Codable & Equatable, New: Codable>(
            _ type: Row.Type, _ new: New.Type, _ decoder: JSONDecoder, _ encoder: JSONEncoder,
            schema: String, table: String, key: [String], sample: String
        ) async throws {
            let sent = try encoder.encode(try decoder.decode(New.self, from: Data(sample.utf8)))
            let answer = try await service.send("POST", rest(table), schema: schema, sent)
            let made = try explained(table) { try decoder.decode([Row].self, from: answer) }
            let (wanted, kept) = try explained(table) {
                (
                    try JSONDecoder().decode(Object.self, from: sent),
                    made.isEmpty ? [:] : try JSONDecoder().decode(Object.self, from: encoder.encode(made[0]))
                )
            }
            for (name, value) in wanted where kept[name] != value {
                throw Difference(description: "\(table).\(name): \(value) became \(String(describing: kept[name]))")
            }
            let filter = key.compactMap { name in
                switch kept[name] {
                case .string(let text): "\(escaped(name))=eq." + escaped(text)
                case .number(let number): "\(escaped(name))=eq.\(number)"
                default: nil
                }
            }
            let found = try await service.send("GET", rest(table) + "?" + filter.joined(separator: "&"), schema: schema)
            let read = try explained(table) { try decoder.decode([Row].self, from: found) }
            guard made.count == 1, read == made || key.isEmpty && read.contains(made[0]) else {
                throw Difference(description: "\(table): the row that is read differs from the one that was inserted")
            }
        }

        struct Page<Row: Decodable>: Decodable { let data: [Row] }
        struct Key: Decodable { let id: String }

        func readList<Row: Codable & Equatable>(_ type: Row.Type, _ decoder: JSONDecoder, _ path: String) async throws {
            var paths = [path]
            if let place = path.range(of: "/:id") {
                let parents = try await user.send("GET", String(path[..<place.lowerBound]))
                let keys = try JSONDecoder().decode(Page<Key>.self, from: parents).data
                paths = keys.map { path.replacingOccurrences(of: ":id", with: escaped($0.id)) }
            }
            var count = 0
            for path in paths where count == 0 {
                let data = try await user.send("GET", path)
                count = try explained(path) { try decoder.decode(Page<Row>.self, from: data).data.count }
            }
            guard count > 0 else { throw Difference(description: "\(path) has no rows") }
        }

        """#
}
