import SwiftletInterface
import SwiftletPostgres

extension SchemaDescription {
    /// A schema of the database that the settings name; with `tables`, names separated by commas, only those.
    static func read(_ schema: String, tables: String?) throws -> SchemaDescription {
        let environment = try Environment.current().withDevelopmentDefaults()
        let connection = try BlockingConnection.connect(to: DatabaseSettings(environment).url)
        let description = try SchemaDescription(of: schema, in: Catalog.read([schema], from: connection))
        guard let tables else { return description }
        return try description.limited(to: tables.split(separator: ",").map(String.init))
    }
}
