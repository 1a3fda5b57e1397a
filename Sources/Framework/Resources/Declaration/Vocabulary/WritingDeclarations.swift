public import SwiftletWeb

/// The column must be sent on create, and may never be null or blank.
public struct Required: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier) {
        rule = ResourceRule(kind: .required(column))
    }
}

/// Clients cannot write these columns: the values they send are ignored.
public struct ReadOnly: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ columns: Identifier...) {
        rule = ResourceRule(kind: .readOnly(columns))
    }
}

/// Keys of the body that are no columns. Hooks read them from the change under these names; they are not stored, and
/// not ignored fields either.
public struct Input: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ keys: Identifier...) {
        rule = ResourceRule(kind: .input(keys))
    }
}

/// The rows of `table` that refer to this one by `foreignKey` are its lines: a list of objects under each of `keys`, in
/// bodies and in responses.
///
///     Lines("line_items", "lineItems", in: "quote_line_items", by: "quote_id", .sum(of: "total", in: "total_amount")) {
///         Required("description")
///     }
///
/// A list in a body is stored with the row, all or nothing, and replaces the lines that there were; without one they
/// stay. It can have 500 lines, whose ids are the server's. A bad value is named as in `line_items[3].quantity`. Tallies
/// grow with each line, so let a hook start them anew: it finds the list under the first key.
///
/// Responses have the lines in the order of the list, with columns, aliases and renames as `rules` say; what these
/// compute or join is left out. Where the database lacks `table`, the list is an ignored field.
public struct Lines: ResourceDeclaration {
    public let rule: ResourceRule

    public init(
        _ keys: StaticString...,
        in table: Identifier,
        by foreignKey: Identifier,
        _ tallies: CounterCache...,
        @ResourceBuilder rules: () -> [ResourceRule] = { [] }
    ) {
        let declaration = LinesDeclaration(
            keys: keys.map(\.description),
            table: table,
            foreignKey: foreignKey,
            tallies: tallies,
            rules: rules()
        )
        rule = ResourceRule(kind: .lines(declaration))
    }
}

/// Another column that gets the calling user's id on create, whatever the body says; `created_by` always does.
public struct AuthoredBy: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier) {
        rule = ResourceRule(kind: .author(column))
    }
}

/// The value of `column` on create if the body has none, or null.
public struct Default: ResourceDeclaration {
    public let rule: ResourceRule

    public init(
        _ column: Identifier,
        _ value: @escaping @Sendable (Context) throws -> JSONValue
    ) {
        rule = ResourceRule(kind: .defaultValue(column: column, value))
    }
}

/// `column` gets a new number on create if the body has none, or null: `prefix` and twelve digits and letters, such as
/// `TKT-MI9D3K2P7Q0X`.
///
/// They begin with the time, so that later numbers sort behind earlier ones. Two of the same millisecond differ by
/// chance; the column should have a unique index all the same.
public struct Numbered: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier, _ prefix: StaticString) {
        let serialNumber = Default(column) { context in
            .string(SerialNumber(prefix, milliseconds: context.server.clock.milliseconds()).text)
        }
        rule = serialNumber.rule
    }
}

/// `column` gets the transaction's time on create if the body has no value for it, or null.
public struct DefaultNow: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ column: Identifier) {
        rule = ResourceRule(kind: .defaultNow(column))
    }
}

/// `DELETE` sets `deleted_at` if the table has that column; deleted rows are invisible from then on.
public struct SoftDelete: ResourceDeclaration {
    public let rule: ResourceRule

    public init() {
        rule = ResourceRule(kind: .softDelete)
    }
}

/// Runs before a row is written. The hook may change the values, or refuse the write by throwing.
///
/// On create it may also fill NOT NULL columns that the body left out, unless they are ``Required``. Deletions run
/// no hooks.
///
/// A foreign key that it sets must lead to a row of the tenant, as one that the client sends: else the answer is 409.
/// Only one that ``Default`` gives is taken as it is, because it never comes from the client. A parent that
/// either of them gives to a new row must be one that the caller can reach, and is tallied.
public struct Before: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ actions: WriteAction..., run: @escaping BeforeWrite) {
        rule = ResourceRule(kind: .before(BeforeHook(actions: Set(actions), run: .values(run))))
    }

    /// The same with the row as it is: locked, so that what the hook decides still holds when the change is written.
    ///
    ///     Before(.update) { change, invoice, _ in
    ///         guard change["status"] == "paid", invoice["status"] != "paid" else { return }
    ///         change["amount_paid"] = invoice["total_amount"]
    ///     }
    ///
    /// The row has the names of the columns, with values in the form of PostgreSQL's `to_jsonb`; it is empty on create. An
    /// update takes a transaction of four statements for it, and a change of many rows two more for each row.
    public init(_ actions: WriteAction..., run: @escaping BeforeWriteOfRow) {
        rule = ResourceRule(kind: .before(BeforeHook(actions: Set(actions), run: .row(run))))
    }
}

/// Runs after a row was written and before the response is sent, but not after a change of many rows.
///
/// The row is stored by then: an error becomes the response, the row stays. Only in a ``Context/transaction(_:)`` is it
/// undone with everything else.
public struct After: ResourceDeclaration {
    public let rule: ResourceRule

    public init(_ actions: WriteAction..., run: @escaping AfterWrite) {
        rule = ResourceRule(kind: .after(AfterHook(actions: Set(actions), run: run)))
    }
}
