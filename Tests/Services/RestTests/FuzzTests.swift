import SwiftletHTTP
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

@Suite(.needsDatabase, .hangLimit) struct FuzzTests {
    /// Whatever can be asked for is answered, or refused by a rule: the SQL that is made is never at fault.
    @Test func `makes only statements that PostgreSQL can read`() async throws {
        let names = [
            "id", "name", "budget", "client_id", "meta", "tags", "title", "words", "project_id", "parent_id", "nope",
        ]
        let selections = [
            "*", "id", "name", "a:name", "id::text", "clients(*)", "clients!inner(name)", "projects(id,clients(name))",
            "...clients(name)",
            "labels(word)", "parent_id(*)", "steps!parent_id(*)", "projects()", "meta->x->>0", "tags->0",
            "...projects(id)", "shout",
        ]
        let filters = [
            "eq.1", "not.eq.1", "gt.0", "in.(1,2)", "in.()", "is.null", "is.not_null", "isdistinct.1", "like.*a*",
            "cs.{a}", "fts.a", "like(any).{a,b}",
            "not.is.true", "match.a", "eq.", "eq.\u{1}x", "in.(\"\\\"\")",
        ]
        let tables = ["clients", "projects", "steps", "labels", "step_labels", "project_overview", "orders"]
        var generator = SeededGenerator(seed: 42)
        try await RestServer.with {
            $0.allowsAggregates = true
        } _: { rest in
            for _ in 0..<600 {
                var parts = [
                    "select="
                        + (0...generator.below(3)).map { _ in generator.element(of: selections) }.joined(separator: ",")
                ]
                for _ in 0..<generator.below(3) {
                    let prefix = generator.below(4) == 0 ? "projects." : ""
                    parts.append("\(prefix)\(generator.element(of: names))=\(generator.element(of: filters))")
                }
                if generator.below(3) == 0 { parts.append("or=(id.eq.1,\(generator.element(of: names)).is.null)") }
                if generator.below(3) == 0 { parts.append("order=\(generator.element(of: names)).desc.nullslast") }
                if generator.below(5) == 0 { parts.append("order=clients(name)") }
                if generator.below(3) == 0 { parts.append("limit=\(generator.below(3))&offset=\(generator.below(3))") }
                let query = parts.joined(separator: "&").percentEncodedQuery
                let methods: [SwiftletHTTP.Method] = [.get, .get, .get, .head, .delete, .patch]
                let method = generator.element(of: methods)
                let response = try await rest.send(
                    method,
                    "\(generator.element(of: tables))?\(query)",
                    method == .patch ? #"{"name":"x"}"# : "",
                    ["Prefer": generator.below(2) == 0 ? "count=exact" : "return=representation"]
                )
                #expect(response.status.rawValue < 500, "\(query): \(response.text)")
                #expect(!response.text.contains(#""42601""#), "\(query): \(response.text)")
            }
        }
    }
}

extension String {
    /// The query with everything escaped that is not surely allowed as it is.
    fileprivate var percentEncodedQuery: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                if "=&.,()*!:-_".utf8.contains(byte) {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
                }
            }
        }
        return text
    }
}
