public import HTTP

extension Query {
    /// Whether a parameter like `?my=true` is set. `true` and `1` set it, in letters of any case; absent, empty, `false`
    /// and `0` do not.
    ///
    /// Throws ``APIError`` 400 that names the parameter if it has another value.
    public func flag(_ name: String) throws(APIError) -> Bool {
        guard let value = self[name], !value.isEmpty else { return false }
        do throws(ValueFault) {
            return try Bool(flag: value)
        } catch {
            throw .validation([name: error.reason])
        }
    }
}

extension Bool {
    init(flag text: String) throws(ValueFault) {
        switch text.lowercased() {
        case "true", "1": self = true
        case "false", "0": self = false
        default: throw ValueFault(reason: "must be true or false")
        }
    }
}
