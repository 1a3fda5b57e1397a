import SwiftletWeb

/// Equality by query parameter: `?assigned_to=a,b` or `?assigned_to=a&assigned_to=b`. `assignedTo` is accepted too, and
/// so is the column's own name.
///
/// `column` defaults to `name`. Of several filters with one name, the first counts. A value that the column's type
/// cannot hold is a 400 that names the parameter.
public struct Filter: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ name: StaticString, on column: Identifier? = nil) {
        let column = column ?? Identifier(name.description)
        let names = Set([name.description, column.name]).flatMap { [$0, camelCased($0), snakeCased($0)] }
        rule = ResourceRule(kind: .filter(FilterRule(names: Set(names).sorted(), column: column, meaning: .value)))
    }

    /// The same for a name in another table: `column` of the row of `table` to which this row's `foreignKey` leads, in the
    /// same tenant.
    ///
    ///     Filter("stage", on: "name", of: "deal_stages", by: "stage_id")      // ?stage=closed_won,negotiation
    ///
    /// Names match as the words of an ``Enumeration``: in any case, and with spaces or hyphens for underscores.
    public init(
        _ name: StaticString,
        on column: Identifier,
        of table: Identifier,
        by foreignKey: Identifier
    ) {
        let names = Set([name.description, camelCased(name.description), snakeCased(name.description)]).sorted()
        let target = FilterRule.Target(table: table, foreignKey: foreignKey)
        rule = ResourceRule(kind: .filter(FilterRule(names: names, column: column, meaning: .value, target: target)))
    }
}

/// `?name=true` (or `1`) keeps the rows whose `column` is the calling user's id; see ``Query/flag(_:)``.
public struct FilterByCaller: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ name: StaticString, on column: Identifier) {
        rule = ResourceRule(kind: .filter(FilterRule(names: [name.description], column: column, meaning: .caller)))
    }
}

/// `?name=my` keeps the rows whose `column` is the calling user's id, `?name=unassigned` those where it is null, and
/// `?name=all` all of them. Other words are a 400.
public struct FilterByView: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ name: StaticString, on column: Identifier) {
        rule = ResourceRule(kind: .filter(FilterRule(names: [name.description], column: column, meaning: .view)))
    }
}

/// `?search=text`: case-insensitive substring match on any of these columns. `%`, `_` and `\` match themselves.
public struct Search: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .search(columns))
    }
}

/// As ``Search``, and a ``SearchRoute`` over several resources finds the rows by these columns: an index over them is kept
/// by the database, where a migration has said so.
///
///     SELECT swiftlet.enable_search('notes', ARRAY['title', 'body']);
public struct Searchable: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .searchable(columns))
    }
}

/// `?name_after=` (inclusive) and `?name_before=` (exclusive) on `column`; camelCase is accepted too.
public struct RangeFilter: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ name: StaticString, on column: Identifier) {
        let bounds = RangeRule(lower: "\(name)_after", upper: "\(name)_before", column: column)
        rule = ResourceRule(kind: .range(bounds))
    }
}

/// `?from=` and `?to=`, or what they are called here, on `column`; both are inclusive.
public struct Between: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ from: StaticString, _ to: StaticString, on column: Identifier) {
        let bounds = RangeRule(lower: from.description, upper: to.description, includesUpper: true, column: column)
        rule = ResourceRule(kind: .range(bounds))
    }
}

/// The order of a list without `?sort=`; a leading `-` means descending. The default is `-created_at`.
public struct DefaultOrder: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ terms: StaticString...) {
        rule = ResourceRule(
            kind: .order(
                terms.map { term in
                    let text = term.description
                    let isDescending = text.first == "-"
                    return SortKey(column: isDescending ? String(text.dropFirst()) : text, isDescending: isDescending)
                }
            )
        )
    }
}

/// Adds the number of rows that satisfy `predicate` to the envelope of a list, under `key`.
///
/// It counts all rows that the caller can reach, whatever the request's filters. The predicate is SQL over the table
/// alias `t`. If the database lacks one of the columns that it `needs`, the count is left out.
public struct Count: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ key: StaticString, where predicate: StaticString, needs: Identifier...) {
        rule = ResourceRule(
            kind: .count(CountField(key: key.description, predicate: predicate.description, needs: needs))
        )
    }
}
