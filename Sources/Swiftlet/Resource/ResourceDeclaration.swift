// The words of a resource's declaration, in the order in which a reader meets them: reading, shape, writing.

/// Equality by query name, `?assigned_to=a,b`: several values by comma, camelCase accepted as well (`assignedTo`).
public func filter(_ name: StaticString, on column: Identifier? = nil) -> ResourceRule {
    let column = column ?? Identifier(name.description)
    let names = Set([name.description, column.name]).flatMap { [$0, camelCased($0), snakeCased($0)] }
    return ResourceRule(kind: .filter(FilterRule(names: Set(names).sorted(), column: column, meansCaller: false)))
}

/// `?name=true` keeps the rows whose `column` is the calling user.
public func ownRows(_ name: StaticString, on column: Identifier) -> ResourceRule {
    ResourceRule(kind: .filter(FilterRule(names: [name.description], column: column, meansCaller: true)))
}

/// `?search=`: case-insensitive contains over these columns; `%`, `_` and `\` in it are plain characters.
public func search(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .search(columns))
}

/// `?name_after=` (inclusive) and `?name_before=` (exclusive) on `column`; camelCase accepted as well.
public func range(_ name: StaticString, on column: Identifier) -> ResourceRule {
    ResourceRule(kind: .range(RangeRule(name: name.description, column: column)))
}

/// The order of a list without `?sort=`, in place of `created_at` descending; a leading `-` means descending.
public func order(_ terms: StaticString...) -> ResourceRule {
    ResourceRule(
        kind: .order(
            terms.map { term in
                let text = term.description
                let isDescending = text.first == "-"
                return OrderTerm(column: isDescending ? String(text.dropFirst()) : text, isDescending: isDescending)
            }
        )
    )
}

/// Adds `key` to a list's envelope: how many rows of the caller's scope, filters aside, satisfy `predicate`.
///
/// The predicate is SQL over the table alias `t`; columns it `needs` that a drifted database lacks make the count 0.
public func count(_ key: StaticString, where predicate: StaticString, needs: Identifier...) -> ResourceRule {
    ResourceRule(
        kind: .count(CountField(key: key.description, predicate: predicate.description, needs: needs))
    )
}

/// `column` is read and written under `key` as well as under its own name. A column that goes by the name of `key` keeps
/// it, unless it is ``hidden(_:)``.
public func alias(_ column: Identifier, as key: StaticString) -> ResourceRule {
    ResourceRule(kind: .alias(column: column, key: key.description))
}

/// `column` is read and written under `key` only. Where the table has a column of that name too, that one is out of reach.
public func rename(_ column: Identifier, to key: StaticString) -> ResourceRule {
    ResourceRule(kind: .rename(column: column, key: key.description))
}

/// A name from another table of the same tenant, read-only: `table.column` where its `id` is this row's `foreignKey`. Left
/// out where the table itself has a column `key`.
public func joined(
    _ key: StaticString,
    _ table: Identifier,
    _ column: Identifier,
    by foreignKey: Identifier
) -> ResourceRule {
    ResourceRule(
        kind: .joined(JoinedName(key: key.description, table: table, column: column, foreignKey: foreignKey))
    )
}

/// A read-only field made by an SQL expression over the table alias `t`; left out when a column it `needs` is absent.
public func computed(_ key: StaticString, _ expression: StaticString, needs: Identifier...) -> ResourceRule {
    ResourceRule(
        kind: .computed(ComputedField(key: key.description, expression: expression.description, needs: needs))
    )
}

/// A closed vocabulary: known synonyms are mapped, other words are a 400, and none but these ever leaves the server.
public func enumeration(_ column: Identifier, _ words: Enumeration) -> ResourceRule {
    ResourceRule(kind: .enumeration(column: column, words))
}

/// These array or JSON columns are lists of strings to clients: other elements leave as their text, nulls not at all.
/// For decoders of `[String]`, which refuse a whole page over one number.
public func texts(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .texts(columns))
}

/// These JSON columns are objects of strings to clients: other values leave as their text, nulls not at all. For decoders
/// of `[String: String]`.
public func textMembers(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .textMembers(columns))
}

/// Must be sent on create and may never be null or blank.
public func required(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .required(column))
}

/// Sent values of these columns are ignored, and named in `X-Ignored-Fields`.
public func readOnly(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .readOnly(columns))
}

/// Never read, never written.
public func hidden(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .hidden(columns))
}

/// The column that holds who made the row, when it is not `created_by`: set from the token, never from the body.
public func author(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .author(column))
}

/// The value of `column` on create when the body has none.
public func generated(
    _ column: Identifier,
    _ value: @escaping @Sendable (Context) throws -> JSONValue
) -> ResourceRule {
    ResourceRule(kind: .generated(column: column, value))
}

/// The time of the write goes into `column` on create when the body has no value for it.
public func stampedNow(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .stampedNow(column))
}

/// Callers below role level `level` see and change only rows whose `column` is themselves: it is them in what they create,
/// and they cannot give a row away. Other rows of the tenant are a 403 to them.
public func ownRowsOnly(below level: Int, _ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .ownRows(below: level, column))
}

/// Rows belong to a row of `resource` by `foreignKey`: `/tasks/:id/comments`. A parent that the caller cannot reach, be
/// it another tenant's, somebody else's, deleted or itself the child of such a one, is out of reach with its children.
public func parent(_ resource: Resource, by foreignKey: Identifier, _ tallies: Tally...) -> ResourceRule {
    ResourceRule(kind: .parent(ParentRule(resource: resource, foreignKey: foreignKey, tallies: tallies)))
}

/// `DELETE` sets `deleted_at` where the table has it, and deleted rows are never seen again.
public func softDelete() -> ResourceRule {
    ResourceRule(kind: .softDelete)
}

/// Runs before a row is written; it may change the values or refuse. On create it may also fill columns that the table
/// demands and the body left out, unless they are ``required(_:)``. A deletion runs no hooks.
public func before(_ actions: WriteAction..., run: @escaping BeforeWrite) -> ResourceRule {
    ResourceRule(kind: .before(WriteHook(actions: Set(actions), run: run)))
}

/// Runs after a row was written, before the answer is sent; not after a change of many rows. The row is committed by
/// then, and stays when the hook throws.
public func after(_ actions: WriteAction..., run: @escaping AfterWrite) -> ResourceRule {
    ResourceRule(kind: .after(AfterHook(actions: Set(actions), run: run)))
}

/// `assigned_to` → `assignedTo`.
func camelCased(_ name: String) -> String {
    let words = name.split(separator: "_")
    guard let first = words.first else { return name }
    return words.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

/// `assignedTo` → `assigned_to`.
func snakeCased(_ name: String) -> String {
    name.reduce(into: "") { text, character in
        if character.isUppercase {
            text += "_" + character.lowercased()
        } else {
            text.append(character)
        }
    }
}
