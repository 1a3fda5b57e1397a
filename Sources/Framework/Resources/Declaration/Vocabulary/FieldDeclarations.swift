/// `column` is read and written under `key` as well as under its own name. If the table has a column `key`, that one
/// keeps its name, unless it is ``Hidden``.
public struct Alias: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier, as key: StaticString) {
        rule = ResourceRule(kind: .alias(column: column, key: key.description))
    }
}

/// `column` is read and written under `key` instead of its own name. If the table has a column `key`, clients cannot
/// reach that one.
public struct Rename: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier, to key: StaticString) {
        rule = ResourceRule(kind: .rename(column: column, key: key.description))
    }
}

/// A read-only field from another table: its `column`, in the row of the same tenant whose primary key is this row's
/// `foreignKey`; null if there is none. Left out if the table itself has a column `key`.
public struct Joined: ResourceDeclaration {
    public let rule: ResourceRule

    public init(
        _ key: StaticString,
        from table: Identifier,
        column: Identifier,
        by foreignKey: Identifier
    ) {
        self.init(key, from: table, columns: column, by: foreignKey)
    }

    /// The same for a name in several columns, such as `columns: "first_name", "last_name"`: one text with spaces between
    /// those that are not null.
    public init(
        _ key: StaticString,
        from table: Identifier,
        columns: Identifier...,
        by foreignKey: Identifier
    ) {
        rule = ResourceRule(
            kind: .joined(JoinedName(key: key.description, table: table, columns: columns, foreignKey: foreignKey))
        )
    }

    /// A read-only object from another table, with `object` columns of the row that ``Joined`` finds:
    /// `Joined("customer", from: "companies", object: "id", "name", by: "company_id")`.
    public init(
        _ key: StaticString,
        from table: Identifier,
        object columns: Identifier...,
        by foreignKey: Identifier
    ) {
        let join = JoinedName(
            key: key.description,
            table: table,
            columns: columns,
            foreignKey: foreignKey,
            isObject: true
        )
        rule = ResourceRule(kind: .joined(join))
    }
}

/// A read-only number: how many rows of the same tenant in `table` refer to this one by `foreignKey`. Left out if the
/// table itself has a column `key`, or the database lacks the other one.
public struct Counted: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ key: StaticString, in table: Identifier, by foreignKey: Identifier) {
        rule = ResourceRule(kind: .counted(CountedRows(key: key.description, table: table, foreignKey: foreignKey)))
    }
}

/// A read-only field computed by an SQL expression over the table alias `t`.
///
/// If the database lacks one of the columns that it `needs`, the field is left out; so it is where the table itself has
/// a column `key`, whose value then counts. The expression cannot read other tables;
/// ``Computed`` does.
public struct Computed: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ key: StaticString, _ expression: StaticString, needs: Identifier...) {
        rule = ResourceRule(
            kind: .computed(ComputedField(key: key.description, expression: expression.description, needs: needs))
        )
    }

    /// A read-only field computed over the rows `o` of another `table` that belong to the same tenant and satisfy
    /// `predicate`; `t` is the row itself.
    ///
    ///     Computed("line_count", from: "invoice_lines", "count(*)", where: "o.invoice_id = t.id")
    ///     Computed("last_reading", from: "readings", "max(o.value)", where: "o.equipment_id = t.id")
    ///     Computed("lines", from: "invoice_lines", "coalesce(jsonb_agg(o), '[]')", where: "o.invoice_id = t.id")
    ///
    /// The expression must aggregate, or the predicate match one row at most. It is left out if the database lacks the
    /// table or one of the columns of `t` that it `needs`.
    public init(
        _ key: StaticString,
        from table: Identifier,
        _ expression: StaticString,
        where predicate: StaticString,
        needs: Identifier...
    ) {
        let source = ComputedField.Source(table: table, predicate: predicate.description)
        let field = ComputedField(
            key: key.description,
            expression: expression.description,
            source: source,
            needs: needs
        )
        rule = ResourceRule(kind: .computed(field))
    }
}

/// `column` holds one word of a closed vocabulary. Synonyms are mapped on the way in, other words are a 400; a stored
/// word that is not in the vocabulary leaves as the first word of `words`.
public struct Enumerated: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier, _ words: Enumeration) {
        rule = ResourceRule(kind: .enumeration(column: column, words))
    }
}

/// Rows that satisfy `predicate` show `word` in `column`, whatever they store there. They are found by it, and no longer
/// by the stored word.
///
///     Shown("overdue", in: "status", where: "t.status = 'sent' AND t.due_date < current_date", needs: "due_date")
///
/// The predicate is SQL over the table alias `t` and cannot read other tables. Hooks see what is stored. Of several
/// words that would suit a row it shows the first one. If the database lacks one of the columns that the word `needs`,
/// no row shows it.
public struct Shown: ResourceDeclaration {
    public let rule: ResourceRule

    public init(
        _ word: StaticString,
        in column: Identifier,
        where predicate: StaticString,
        needs: Identifier...
    ) {
        let shown = ShownWord(word: word.description, column: column, predicate: predicate.description, needs: needs)
        rule = ResourceRule(kind: .shown(shown))
    }
}

/// Clients read these array or JSON columns as `[String]`.
///
/// Stored numbers, booleans and nested values are converted to strings and nulls are dropped, because a decoder of
/// `[String]` would reject the whole page over one of them.
public struct StringArrays: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .stringArrays(columns))
    }
}

/// Clients read these JSON columns as `[String: String]`; values are converted as in ``StringArrays``.
public struct StringDictionaries: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .stringDictionaries(columns))
    }
}

/// These columns never appear in a response and cannot be written.
public struct Hidden: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .hidden(columns))
    }
}
