/// Functions that cannot be served as they are declared.
package enum DeclarationError: Error, Equatable, CustomStringConvertible {
    /// Two functions with the same name.
    case function(String)
    /// A function with the name of one of the server's pages, such as `health`.
    case page(String)
    /// Two routes of one function for the same method and path.
    case route(function: String, method: Method, path: String)
    /// SQL with a subquery, which nothing would restrict to the tenant; `rule` is the declaration.
    case subquery(function: String, rule: String)

    package var description: String {
        switch self {
        case .function(let name): "Two functions are named \(name): rename one of them"
        case .page(let name): "The function \(name) has the name of a page of the server: rename it"
        case .route(let function, let method, let path):
            "The function \(function) has two routes for \(method.rawValue) \(path): remove one of them"
        case .subquery(let function, let rule):
            "The function \(function) has a subquery in \(rule), where the tenant is missing: use computed(from:)"
        }
    }
}
