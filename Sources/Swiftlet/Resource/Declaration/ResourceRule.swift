import Auth

/// One line of a resource's declaration, made by the free functions ``filter(_:on:)``, ``search(_:)`` and so on.
public struct ResourceRule: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        case filter(FilterRule)
        case search([Identifier])
        case range(RangeRule)
        case order([OrderTerm])
        case count(CountField)
        case alias(column: Identifier, key: String)
        case rename(column: Identifier, key: String)
        case joined(JoinedName)
        case computed(ComputedField)
        case enumeration(column: Identifier, Enumeration)
        case stringArrays([Identifier])
        case stringDictionaries([Identifier])
        case hidden([Identifier])
        case input([Identifier])
        case required(Identifier)
        case readOnly([Identifier])
        case author(Identifier)
        case defaultValue(column: Identifier, @Sendable (Context) throws -> JSONValue)
        case defaultNow(Identifier)
        case softDelete
        case before(BeforeHook)
        case after(AfterHook)
        case ownRowsOnly(below: Int, Identifier)
        case only(OnlyRule)
        case parent(ParentRule)
    }
}

struct FilterRule: Sendable {
    let names: [String]
    let column: Identifier
    /// `my=true` means that the column equals the caller's id.
    let meansCaller: Bool
}

struct RangeRule: Sendable {
    let name: String
    let column: Identifier
}

/// Callers below `level` only reach rows whose `column` is their own id.
struct OwnRowsRule: Sendable {
    let level: Int
    let column: String

    func binds(_ user: User) -> Bool {
        user.roleLevel < level
    }
}

/// Only rows whose `column` holds one of `words` belong to the resource.
struct OnlyRule: Sendable {
    let column: String
    let words: [String]
}

struct OrderTerm: Hashable, Sendable {
    let column: String
    let isDescending: Bool
}

struct JoinedName: Sendable {
    let key: String
    let table: Identifier
    let columns: [Identifier]
    let foreignKey: Identifier
}

struct ComputedField: Sendable {
    let key: String
    let expression: String
    var source: Source?
    let needs: [Identifier]

    /// The table whose rows `o` the expression is over, and which of them.
    struct Source: Sendable {
        let table: Identifier
        let predicate: String
    }

    var hasSubquery: Bool {
        SubqueryScan.finds(in: expression) || source.map { SubqueryScan.finds(in: $0.predicate) } ?? false
    }
}

struct CountField: Sendable {
    let key: String
    let predicate: String
    let needs: [Identifier]

    var hasSubquery: Bool { SubqueryScan.finds(in: predicate) }
}
