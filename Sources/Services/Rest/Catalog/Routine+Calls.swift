import SwiftletPostgres

extension Routine {
    /// Whether a request can call it: at most one argument has no name, and any content of some type fits that.
    var isCallable: Bool {
        let unnamed = arguments.filter(\.name.isEmpty)
        return unnamed.isEmpty || unnamed.count == 1 && Self.contentTypes.contains(unnamed[0].type)
    }

    /// In PostgREST's order: fewer arguments first, then by comment, by the arguments' names and types.
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
