import SwiftletHTTP
package import SwiftletPostgres
import Synchronization
package import SwiftletWeb

/// The function of a server that describes the others: `/openapi.json`.
package enum OpenAPIPages {
    /// For everyone: it says no more than the names and types of what clients send and get. An app's own function of that
    /// name counts instead.
    package static func functions(
        describing functions: [Function],
        restSchema: String?,
        version: String,
        summaries: [String: String] = [:],
        in schema: @escaping @Sendable () -> Schema
    ) -> [Function] {
        let kept = KeptDocument()
        let document = Function("openapi.json") {
            Get { _, _ in
                Response(
                    json: kept.bytes(of: schema()) { schema in
                        OpenAPIDocument(
                            functions,
                            in: schema,
                            restSchema: restSchema,
                            version: version,
                            summaries: summaries
                        )
                        .text
                    }
                )
            }.open()
        }
        return functions.contains { $0.name == document.name } ? [] : [document.unlisted().keepingDates()]
    }
}

/// The document's text for one version of the schema: everyone may ask for it, and making it takes milliseconds.
private final class KeptDocument: Sendable {
    private let kept = Mutex<(version: Int, bytes: [UInt8])?>(nil)

    func bytes(of schema: Schema, _ text: (Schema) -> String) -> [UInt8] {
        kept.withLock { kept in
            if let kept, kept.version == schema.version { return kept.bytes }
            let bytes = Array(text(schema).utf8)
            kept = (schema.version, bytes)
            return bytes
        }
    }
}
