public import Web

// The vocabulary of a resource's declaration: reading, response fields, writing, access.

// MARK: Reading

/// Equality by query parameter: `?assigned_to=a,b` or `?assigned_to=a&assigned_to=b`. `assignedTo` is accepted too, and
/// so is the column's own name.
///
/// `column` defaults to `name`. Of several filters with one name, the first counts. A value that the column's type
/// cannot hold is a 400 that names the parameter.
public func filter(_ name: StaticString, on column: Identifier? = nil) -> ResourceRule {
    let column = column ?? Identifier(name.description)
    let names = Set([name.description, column.name]).flatMap { [$0, camelCased($0), snakeCased($0)] }
    return ResourceRule(kind: .filter(FilterRule(names: Set(names).sorted(), column: column, meaning: .value)))
}

/// The same for a name in another table: `column` of the row of `table` to which this row's `foreignKey` leads, in the
/// same tenant.
///
///     filter("stage", on: "name", of: "deal_stages", by: "stage_id")      // ?stage=closed_won,negotiation
///
/// Names match as the words of an ``Enumeration``: in any case, and with spaces or hyphens for underscores.
public func filter(
    _ name: StaticString,
    on column: Identifier,
    of table: Identifier,
    by foreignKey: Identifier
) -> ResourceRule {
    let names = Set([name.description, camelCased(name.description), snakeCased(name.description)]).sorted()
    let target = FilterRule.Target(table: table, foreignKey: foreignKey)
    return ResourceRule(kind: .filter(FilterRule(names: names, column: column, meaning: .value, target: target)))
}

/// `?name=true` (or `1`) keeps the rows whose `column` is the calling user's id; see ``HTTP/Query/flag(_:)``.
public func filterByCaller(_ name: StaticString, on column: Identifier) -> ResourceRule {
    ResourceRule(kind: .filter(FilterRule(names: [name.description], column: column, meaning: .caller)))
}

/// `?name=my` keeps the rows whose `column` is the calling user's id, `?name=unassigned` those where it is null, and
/// `?name=all` all of them. Other words are a 400.
public func filterByView(_ name: StaticString, on column: Identifier) -> ResourceRule {
    ResourceRule(kind: .filter(FilterRule(names: [name.description], column: column, meaning: .view)))
}

/// `?search=text`: case-insensitive substring match on any of these columns. `%`, `_` and `\` match themselves.
public func search(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .search(columns))
}

/// `?name_after=` (inclusive) and `?name_before=` (exclusive) on `column`; camelCase is accepted too.
public func range(_ name: StaticString, on column: Identifier) -> ResourceRule {
    let rule = RangeRule(lower: "\(name)_after", upper: "\(name)_before", column: column)
    return ResourceRule(kind: .range(rule))
}

/// `?from=` and `?to=`, or what they are called here, on `column`; both are inclusive.
public func between(_ from: StaticString, _ to: StaticString, on column: Identifier) -> ResourceRule {
    let rule = RangeRule(lower: from.description, upper: to.description, includesUpper: true, column: column)
    return ResourceRule(kind: .range(rule))
}

/// The order of a list without `?sort=`; a leading `-` means descending. The default is `-created_at`.
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

/// Adds the number of rows that satisfy `predicate` to the envelope of a list, under `key`.
///
/// It counts all rows that the caller can reach, whatever the request's filters. The predicate is SQL over the table
/// alias `t`. If the database lacks one of the columns that it `needs`, the count is left out.
public func count(_ key: StaticString, where predicate: StaticString, needs: Identifier...) -> ResourceRule {
    ResourceRule(
        kind: .count(CountField(key: key.description, predicate: predicate.description, needs: needs))
    )
}

// MARK: Response fields

/// `column` is read and written under `key` as well as under its own name. If the table has a column `key`, that one
/// keeps its name, unless it is ``hidden(_:)``.
public func alias(_ column: Identifier, as key: StaticString) -> ResourceRule {
    ResourceRule(kind: .alias(column: column, key: key.description))
}

/// `column` is read and written under `key` instead of its own name. If the table has a column `key`, clients cannot
/// reach that one.
public func rename(_ column: Identifier, to key: StaticString) -> ResourceRule {
    ResourceRule(kind: .rename(column: column, key: key.description))
}

/// A read-only field from another table: its `column`, in the row of the same tenant whose primary key is this row's
/// `foreignKey`; null if there is none. Left out if the table itself has a column `key`.
public func joined(
    _ key: StaticString,
    from table: Identifier,
    column: Identifier,
    by foreignKey: Identifier
) -> ResourceRule {
    joined(key, from: table, columns: column, by: foreignKey)
}

/// The same for a name in several columns, such as `columns: "first_name", "last_name"`: one text with spaces between
/// those that are not null.
public func joined(
    _ key: StaticString,
    from table: Identifier,
    columns: Identifier...,
    by foreignKey: Identifier
) -> ResourceRule {
    ResourceRule(
        kind: .joined(JoinedName(key: key.description, table: table, columns: columns, foreignKey: foreignKey))
    )
}

/// A read-only object from another table, with `object` columns of the row that ``joined(_:from:column:by:)`` finds:
/// `joined("customer", from: "companies", object: "id", "name", by: "company_id")`.
public func joined(
    _ key: StaticString,
    from table: Identifier,
    object columns: Identifier...,
    by foreignKey: Identifier
) -> ResourceRule {
    let join = JoinedName(key: key.description, table: table, columns: columns, foreignKey: foreignKey, isObject: true)
    return ResourceRule(kind: .joined(join))
}

/// A read-only number: how many rows of the same tenant in `table` refer to this one by `foreignKey`. Left out if the
/// table itself has a column `key`, or the database lacks the other one.
public func counted(_ key: StaticString, in table: Identifier, by foreignKey: Identifier) -> ResourceRule {
    ResourceRule(kind: .counted(CountedRows(key: key.description, table: table, foreignKey: foreignKey)))
}

/// A read-only field computed by an SQL expression over the table alias `t`.
///
/// If the database lacks one of the columns that it `needs`, the field is left out; so it is where the table itself has
/// a column `key`, whose value then counts. The expression cannot read other tables;
/// ``computed(_:from:_:where:needs:)`` does.
public func computed(_ key: StaticString, _ expression: StaticString, needs: Identifier...) -> ResourceRule {
    ResourceRule(
        kind: .computed(ComputedField(key: key.description, expression: expression.description, needs: needs))
    )
}

/// A read-only field computed over the rows `o` of another `table` that belong to the same tenant and satisfy
/// `predicate`; `t` is the row itself.
///
///     computed("line_count", from: "invoice_lines", "count(*)", where: "o.invoice_id = t.id")
///     computed("last_reading", from: "readings", "max(o.value)", where: "o.equipment_id = t.id")
///     computed("lines", from: "invoice_lines", "coalesce(jsonb_agg(o), '[]')", where: "o.invoice_id = t.id")
///
/// The expression must aggregate, or the predicate match one row at most. It is left out if the database lacks the
/// table or one of the columns of `t` that it `needs`.
public func computed(
    _ key: StaticString,
    from table: Identifier,
    _ expression: StaticString,
    where predicate: StaticString,
    needs: Identifier...
) -> ResourceRule {
    let source = ComputedField.Source(table: table, predicate: predicate.description)
    let field = ComputedField(key: key.description, expression: expression.description, source: source, needs: needs)
    return ResourceRule(kind: .computed(field))
}

/// `column` holds one word of a closed vocabulary. Synonyms are mapped on the way in, other words are a 400; a stored
/// word that is not in the vocabulary leaves as the first word of `words`.
public func enumeration(_ column: Identifier, _ words: Enumeration) -> ResourceRule {
    ResourceRule(kind: .enumeration(column: column, words))
}

/// Rows that satisfy `predicate` show `word` in `column`, whatever they store there. They are found by it, and no longer
/// by the stored word.
///
///     shown("overdue", in: "status", where: "t.status = 'sent' AND t.due_date < current_date", needs: "due_date")
///
/// The predicate is SQL over the table alias `t` and cannot read other tables. Hooks see what is stored. Of several
/// words that would suit a row it shows the first one. If the database lacks one of the columns that the word `needs`,
/// no row shows it.
public func shown(
    _ word: StaticString,
    in column: Identifier,
    where predicate: StaticString,
    needs: Identifier...
) -> ResourceRule {
    let shown = ShownWord(word: word.description, column: column, predicate: predicate.description, needs: needs)
    return ResourceRule(kind: .shown(shown))
}

/// Clients read these array or JSON columns as `[String]`.
///
/// Stored numbers, booleans and nested values are converted to strings and nulls are dropped, because a decoder of
/// `[String]` would reject the whole page over one of them.
public func stringArrays(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .stringArrays(columns))
}

/// Clients read these JSON columns as `[String: String]`; values are converted as in ``stringArrays(_:)``.
public func stringDictionaries(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .stringDictionaries(columns))
}

/// These columns never appear in a response and cannot be written.
public func hidden(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .hidden(columns))
}

// MARK: Writing

/// The column must be sent on create, and may never be null or blank.
public func required(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .required(column))
}

/// Clients cannot write these columns: the values they send are ignored.
public func readOnly(_ columns: Identifier...) -> ResourceRule {
    ResourceRule(kind: .readOnly(columns))
}

/// Keys of the body that are no columns. Hooks read them from the change under these names; they are not stored, and
/// not ignored fields either.
public func input(_ keys: Identifier...) -> ResourceRule {
    ResourceRule(kind: .input(keys))
}

/// The rows of `table` that refer to this one by `foreignKey` are its lines: a list of objects under each of `keys`, in
/// bodies and in responses.
///
///     lines("line_items", "lineItems", in: "quote_line_items", by: "quote_id", .sum(of: "total", in: "total_amount")) {
///         required("description")
///     }
///
/// A list in a body is stored with the row, all or nothing, and replaces the lines that there were; without one they
/// stay. It can have 500 lines, whose ids are the server's. A bad value is named as in `line_items[3].quantity`. Tallies
/// grow with each line, so let a hook start them anew: it finds the list under the first key.
///
/// Responses have the lines in the order of the list, with columns, aliases and renames as `rules` say; what these
/// compute or join is left out. Where the database lacks `table`, the list is an ignored field.
public func lines(
    _ keys: StaticString...,
    in table: Identifier,
    by foreignKey: Identifier,
    _ tallies: Tally...,
    @ListBuilder<ResourceRule> rules: () -> [ResourceRule] = { [] }
) -> ResourceRule {
    let declaration = LinesDeclaration(
        keys: keys.map(\.description),
        table: table,
        foreignKey: foreignKey,
        tallies: tallies,
        rules: rules()
    )
    return ResourceRule(kind: .lines(declaration))
}

/// Another column that gets the calling user's id on create, whatever the body says; `created_by` always does.
public func author(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .author(column))
}

/// The value of `column` on create if the body has none, or null.
public func defaultValue(
    _ column: Identifier,
    _ value: @escaping @Sendable (Context) throws -> JSONValue
) -> ResourceRule {
    ResourceRule(kind: .defaultValue(column: column, value))
}

/// `column` gets a new number on create if the body has none, or null: `prefix` and twelve digits and letters, such as
/// `TKT-MI9D3K2P7Q0X`.
///
/// They begin with the time, so that later numbers sort behind earlier ones. Two of the same millisecond differ by
/// chance; the column should have a unique index all the same.
public func numbered(_ column: Identifier, _ prefix: StaticString) -> ResourceRule {
    defaultValue(column) { context in
        .string(SerialNumber(prefix, milliseconds: context.server.clock.milliseconds()).text)
    }
}

/// `column` gets the transaction's time on create if the body has no value for it, or null.
public func defaultNow(_ column: Identifier) -> ResourceRule {
    ResourceRule(kind: .defaultNow(column))
}

/// `DELETE` sets `deleted_at` if the table has that column; deleted rows are invisible from then on.
public func softDelete() -> ResourceRule {
    ResourceRule(kind: .softDelete)
}

/// Runs before a row is written. The hook may change the values, or refuse the write by throwing.
///
/// On create it may also fill NOT NULL columns that the body left out, unless they are ``required(_:)``. Deletions run
/// no hooks.
///
/// A foreign key that it sets must lead to a row of the tenant, as one that the client sends: else the answer is 409.
/// Only one that ``defaultValue(_:_:)`` gives is taken as it is, because it never comes from the client. A parent that
/// either of them gives to a new row must be one that the caller can reach, and is tallied.
public func before(_ actions: WriteAction..., run: @escaping BeforeWrite) -> ResourceRule {
    ResourceRule(kind: .before(BeforeHook(actions: Set(actions), run: .values(run))))
}

/// The same with the row as it is: locked, so that what the hook decides still holds when the change is written.
///
///     before(.update) { change, invoice, _ in
///         guard change["status"] == "paid", invoice["status"] != "paid" else { return }
///         change["amount_paid"] = invoice["total_amount"]
///     }
///
/// The row has the names of the columns, with values in the form of PostgreSQL's `to_jsonb`; it is empty on create. An
/// update takes a transaction of four statements for it, and a change of many rows two more for each row.
public func before(_ actions: WriteAction..., run: @escaping BeforeWriteOfRow) -> ResourceRule {
    ResourceRule(kind: .before(BeforeHook(actions: Set(actions), run: .row(run))))
}

/// Runs after a row was written and before the response is sent, but not after a change of many rows.
///
/// The row is stored by then: an error becomes the response, the row stays. Only in a ``Context/transaction(_:)`` is it
/// undone with everything else.
public func after(_ actions: WriteAction..., run: @escaping AfterWrite) -> ResourceRule {
    ResourceRule(kind: .after(AfterHook(actions: Set(actions), run: run)))
}

// MARK: Access

/// Callers below role level `level` (1…8) only see and change rows whose `column` is their own id; other rows of the
/// tenant are a 403. What they create gets their id, and they cannot give a row away.
public func ownRowsOnly(below level: Int, on column: Identifier) -> ResourceRule {
    ResourceRule(kind: .ownRowsOnly(below: level, column))
}

/// The resource sees only rows whose `column` holds one of `words`. Two resources can thus share a table; rules that
/// they have in common go into a function:
///
///     @ListBuilder<ResourceRule> private func companyRules() -> [ResourceRule] {
///         filter("city")
///         search("name")
///     }
///
/// A create stores the first word unless the body has another one of them. Other words in a body are ignored, so that
/// an update never takes a row away.
public func only(_ column: Identifier, _ words: StaticString...) -> ResourceRule {
    ResourceRule(kind: .only(OnlyRule(column: column.name, words: words.map(\.description))))
}

/// Each row belongs to a row of `resource` by `foreignKey`: `/tasks/:id/comments`.
///
/// If the caller cannot reach the parent or one of its own parents (another tenant's, another user's, deleted), the
/// children are out of reach too, except for ``Resource/list(_:_:parentKey:)`` without a parent's key and
/// ``Resource/updateAll(where:is:_:_:)``.
public func parent(_ resource: Resource, by foreignKey: Identifier, _ tallies: Tally...) -> ResourceRule {
    let rule = ParentRule(
        table: resource.table,
        scope: resource.scope,
        foreignKey: foreignKey,
        tallies: tallies,
        isChild: resource.rules.parent != nil,
        hidesRows: resource.hidesRows,
        requireRow: { try await resource.requireRow($0, $1) }
    )
    return ResourceRule(kind: .parent(rule))
}
