/// Two routes of one function for the same method and path: one of them would never be called.
package struct RouteConflict: Error, Equatable, CustomStringConvertible {
    let function: String
    let method: Method
    let path: String

    package var description: String {
        "The function \(function) has two routes for \(method.rawValue) \(path), of which one would never be called: take one out"
    }
}
