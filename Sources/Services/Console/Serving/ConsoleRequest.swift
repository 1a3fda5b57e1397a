import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// A request of an operator.
struct ConsoleRequest: Sendable {
    let request: Request
    let context: Context
    let visitor: Operator

    var role: Operator.Role { visitor.role }

    /// The body, a JSON object or nothing.
    func body() throws -> JSONObject { try request.jsonObject(allowsEmpty: true) }

    func require(_ role: Operator.Role) throws(ConsoleError) {
        guard visitor.role >= role else { throw .forbidden(role) }
    }
}
