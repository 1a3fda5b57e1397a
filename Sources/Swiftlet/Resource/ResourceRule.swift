import Auth

/// One line of a resource's declaration. Make it with the free functions (``filter(_:on:)``, ``search(_:)`` …).
public struct ResourceRule: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        case filter(FilterRule)
        case search([Identifier])
        case range(RangeRule)
        case alias(column: Identifier, key: String)
        case rename(column: Identifier, key: String)
        case required(Identifier)
        case readOnly([Identifier])
        case hidden([Identifier])
        case enumeration(column: Identifier, Enumeration)
        case texts([Identifier])
        case textMembers([Identifier])
        case joined(JoinedName)
        case computed(ComputedField)
        case count(CountField)
        case order([OrderTerm])
        case author(Identifier)
        case generated(column: Identifier, @Sendable (Context) throws -> JSONValue)
        case stampedNow(Identifier)
        case ownRows(below: Int, Identifier)
        case parent(ParentRule)
        case softDelete
        case before(WriteHook)
        case after(AfterHook)
    }
}

struct FilterRule: Sendable {
    let names: [String]
    let column: Identifier
    /// `my=true` stands for "column equals the caller".
    let meansCaller: Bool
}

struct RangeRule: Sendable {
    let name: String
    let column: Identifier
}

struct JoinedName: Sendable {
    let key: String
    let table: Identifier
    let column: Identifier
    let foreignKey: Identifier
}

struct ComputedField: Sendable {
    let key: String
    let expression: String
    let needs: [Identifier]
}

struct CountField: Sendable {
    let key: String
    let predicate: String
    let needs: [Identifier]
}

struct OrderTerm: Hashable, Sendable {
    let column: String
    let isDescending: Bool
}

/// Callers below `level` reach only rows whose `column` is themselves.
struct OwnRowsRule: Sendable {
    let level: Int
    let column: String

    func binds(_ user: User) -> Bool {
        user.roleLevel < level
    }
}

/// A row belongs to one row of another resource: a comment to a task.
struct ParentRule: Sendable {
    let resource: Resource
    let foreignKey: Identifier
    let tallies: [Tally]
}

/// Adds to a number on the parent row in the statement that inserts a child. Changed and deleted children do not touch it.
public struct Tally: Sendable {
    let parentColumn: Identifier
    /// The child's column to add; nil counts children.
    let childColumn: Identifier?

    /// `parentColumn` grows by one with each child.
    public static func count(_ parentColumn: Identifier) -> Tally {
        Tally(parentColumn: parentColumn, childColumn: nil)
    }

    /// `parentColumn` grows by the child's `column`.
    public static func sum(of column: Identifier, in parentColumn: Identifier) -> Tally {
        Tally(parentColumn: parentColumn, childColumn: column)
    }
}

/// May read and change what is about to be written, or refuse it by throwing an ``APIError``.
public typealias BeforeWrite = @Sendable (inout Change, Context) async throws -> Void

/// Sees the row as it was written.
public typealias AfterWrite = @Sendable (JSONObject, Context) async throws -> Void

struct WriteHook: Sendable {
    let actions: Set<WriteAction>
    let run: BeforeWrite
}

struct AfterHook: Sendable {
    let actions: Set<WriteAction>
    let run: AfterWrite
}

/// The two ways a row gets new values.
public enum WriteAction: Hashable, Sendable {
    case create
    case update
}
