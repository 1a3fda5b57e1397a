/// One function of an exposed schema; there may be several of a name.
struct Routine: Sendable {
    /// Its number in `pg_proc`.
    let identifier: String
    let name: QualifiedName
    let arguments: [Argument]
    let result: Result
    let returnsSet: Bool
    let volatility: Volatility
    let comment: String?
    /// What the function sets, as far as the whole transaction needs it.
    var settings: [Catalog.RoleSetting] = []

    struct Argument: Hashable, Sendable {
        /// Empty where the function gives it none.
        let name: String
        let type: String
        /// The type to give a value in SQL. It is another one where the type's name means a length: `character` alone
        /// is one letter, `bpchar` any number.
        let boundType: String
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

    /// Its rows have columns, so that filters, `select` and `order` count.
    var isTable: Bool { if case .rows = result { true } else { false } }

    /// Whether a request can call it: at most one argument has no name, and any content of some type fits that.
    var isCallable: Bool {
        let unnamed = arguments.filter(\.name.isEmpty)
        return unnamed.isEmpty || unnamed.count == 1 && Self.contentTypes.contains(unnamed[0].type)
    }

    /// Fewer arguments first, then by comment, by the arguments' names and types.
    func precedes(_ other: Routine) -> Bool {
        if arguments.count != other.arguments.count { return arguments.count < other.arguments.count }
        if comment != other.comment {
            guard let comment else { return true }
            return other.comment.map { comment < $0 } ?? false
        }
        for (one, another) in zip(arguments, other.arguments) where one != another {
            return (one.name, one.type) < (another.name, another.type)
        }
        return false
    }

    private static let contentTypes: Set = ["json", "jsonb", "text", "bytea", "xml"]

    /// It takes the whole content: one argument without a name, of a type that any content fits.
    var takesContent: String? {
        guard arguments.count == 1, arguments[0].name.isEmpty, Self.contentTypes.contains(arguments[0].type) else {
            return nil
        }
        return arguments[0].type
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
