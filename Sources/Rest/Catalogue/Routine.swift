/// One function of an exposed schema; there may be several of a name.
struct Routine: Sendable {
    let name: QualifiedName
    let arguments: [Argument]
    let result: Result
    let returnsSet: Bool
    let volatility: Volatility
    let comment: String?

    struct Argument: Hashable, Sendable {
        /// Empty where the function gives it none.
        let name: String
        let type: String
        let isRequired: Bool
        let isVariadic: Bool
    }

    enum Result: Hashable, Sendable {
        case void
        case scalar(type: String)
        /// Rows of a relation, or of a type of columns.
        case rows(of: QualifiedName?)
    }

    enum Volatility: String, Sendable {
        case immutable = "i"
        case stable = "s"
        case volatile = "v"
    }

    /// It takes the whole content: one argument without a name, of a type that any content fits.
    var takesContent: String? {
        guard arguments.count == 1, arguments[0].name.isEmpty else { return nil }
        let type = arguments[0].type
        return ["json", "jsonb", "text", "bytea", "xml"].contains(type) ? type : nil
    }

    /// Whether it can be called with exactly these names.
    func takes(_ names: Set<String>) -> Bool {
        var known: Set<String> = []
        for argument in arguments {
            if argument.isRequired, !names.contains(argument.name) { return false }
            known.insert(argument.name)
        }
        return names.isSubset(of: known)
    }
}
