/// Functions that cannot be served as they are declared.
package enum DeclarationError: Error, Equatable, CustomStringConvertible {
    /// Two functions with the same name.
    case duplicateFunction(String)
    /// A function with the name of one of the server's pages, such as `health`.
    case functionNamedLikePage(String)
    /// A function whose name is no path segment, or one that the router takes for a prefix.
    case unreachableFunction(String)
    /// Two routes of one function for the same method and path.
    case duplicateRoute(function: String, method: Method, path: String)
    /// A route whose handler takes a parameter that its path does not have.
    case unknownParameter(function: String, path: String, name: String)
    /// A route of a child resource without the parent's id in its path.
    case routeWithoutParent(function: String, path: String)
    /// SQL with a subquery, which nothing would restrict to the tenant; `rule` is the declaration.
    case subqueryWithoutTenant(function: String, rule: String)
    /// A vocabulary that responses cannot be written with; `fault` names the rule.
    case faultyEnumeration(function: String, fault: String)

    package var description: String {
        switch self {
        case .duplicateFunction(let name): "Two functions are named \(name): rename one of them"
        case .functionNamedLikePage(let name): "The function \(name) has the name of a page of the server: rename it"
        case .unreachableFunction(let name):
            "No path leads to the function \"\(name)\": name it with letters, digits, - . _ ~, not api, functions or v1"
        case .duplicateRoute(let function, let method, let path):
            "The function \(function) has two routes for \(method.rawValue) \(path): remove one of them"
        case .unknownParameter(let function, let path, let name):
            "The function \(function) takes :\(name) at \(path), which has no such parameter: correct one of them"
        case .routeWithoutParent(let function, let path):
            "The function \(function) has a route at \(path) without the parent's id: use routes(at: \"/:id/…\")"
        case .subqueryWithoutTenant(let function, let rule):
            "The function \(function) has a subquery in \(rule), where the tenant is missing: use computed(from:)"
        case .faultyEnumeration(let function, let fault): "The function \(function): \(fault)"
        }
    }
}
