package import SwiftletAuth

/// An endpoint to be made.
package struct NewWebhook: Sendable {
    package let url: String
    package var secret: String
    /// As PostgreSQL resolves them: `tasks`, `archive.messages`.
    package var tables: [String]
    /// See ``WebhookDirectory/operations``.
    package var operations: [String]
    package var events: [String]
    package var tenant: String?

    /// With a new secret. Throws ``KeyError`` if there is no randomness.
    package init(
        _ url: String,
        secret: String? = nil,
        tables: [String] = [],
        operations: [String] = WebhookDirectory.operations,
        events: [String] = [],
        tenant: String? = nil
    ) throws(KeyError) {
        self.url = url
        if let secret { self.secret = secret } else { self.secret = try WebhookSecret.make() }
        self.tables = tables
        self.operations = operations
        self.events = events
        self.tenant = tenant
    }

    /// Whether an event of functions may have this name; `*` stands for all.
    package static func isEvent(_ text: String) -> Bool {
        text == "*" || (try? EventName(text)) != nil
    }
}
