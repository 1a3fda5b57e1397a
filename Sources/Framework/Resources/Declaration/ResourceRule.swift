import SwiftletWeb

/// What a line of a resource's declaration says, made by a ``ResourceDeclaration``.
public struct ResourceRule: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        case filter(FilterRule)
        case search([Identifier])
        case searchable([Identifier])
        case range(RangeRule)
        case order([SortKey])
        case count(CountField)
        case alias(column: Identifier, key: String)
        case rename(column: Identifier, key: String)
        case joined(JoinedName)
        case counted(CountedRows)
        case computed(ComputedField)
        case enumeration(column: Identifier, Enumeration)
        case shown(ShownWord)
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
        case lines(LinesDeclaration)
    }
}
