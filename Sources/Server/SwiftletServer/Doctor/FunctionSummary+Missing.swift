import SwiftletPostgres
import SwiftletWeb

extension FunctionSummary {
    /// Tables and columns that any of these functions declares and the database lacks.
    static func missing(of functions: [Function], in schema: Schema) -> Set<String> {
        Set(functions.flatMap { FunctionSummary($0, in: schema).missing })
    }
}
