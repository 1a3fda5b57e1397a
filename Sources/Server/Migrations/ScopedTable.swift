/// The text of a migration for a table whose rows belong to devices, users or tenants, ready to be filled in.
///
/// It has what is easily forgotten: whose each row is, indexes for it, the time of the last change, and the policy by which
/// nobody else sees or changes a row, however they ask.
package struct ScopedTable: Sendable {
    /// Whose rows they are.
    package enum Scope: String, CaseIterable, Sendable {
        case device, user, tenant
    }

    private let name: String
    private let scope: Scope

    /// `name` has letters, digits and underscores only. nil if no table can have it: it begins with a digit, or leaves
    /// no room for the names of its indexes.
    init?(_ name: String, _ scope: Scope) {
        guard name.first?.isNumber == false, name.utf8.count <= 40 else { return nil }
        self.name = name
        self.scope = scope
    }

    package var text: String {
        """
        -- \(name): \(scope.meaning)
        -- One transaction; forward only. Never edit this file once it was applied anywhere: write another one.
        --
        -- Replace the columns in the middle by your own, then serve the rows by one line in a function:
        --     Resource("\(name)", scope: .\(scope.rawValue)) { softDelete() }.routes()

        \(scope.preparation)CREATE TABLE \(table) (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            -- \(scope.origin)
            \(scope.column),

            -- Your columns. What an app may leave out has a DEFAULT, or no NOT NULL.
            title text NOT NULL CHECK (char_length(title) <= 200),
            notes text CHECK (char_length(notes) <= 10000),
            -- The time that lists are sorted and searched by.
            occurred_at timestamptz NOT NULL DEFAULT now(),

            created_at timestamptz NOT NULL DEFAULT now(),
            updated_at timestamptz NOT NULL DEFAULT now(),
            -- Deleting sets it, by the rule softDelete(). Without both, rows go for good.
            deleted_at timestamptz
        );

        CREATE INDEX \(name)_\(scope.columnName) ON \(table) (\(scope.columnName));
        CREATE INDEX \(name)_\(scope.columnName)_time ON \(table) (\(scope.columnName), occurred_at DESC);

        CREATE TRIGGER \(name)_touch BEFORE UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION swiftlet_touch();

        -- Functions bind the \(scope.rawValue) themselves. This is for everybody else: /rest/v1, and whoever asks in SQL.
        ALTER TABLE \(table) ENABLE ROW LEVEL SECURITY;
        CREATE POLICY \(name)_\(scope.rawValue) ON \(table)
            USING (\(scope.rule))
            WITH CHECK (\(scope.rule));
        SELECT swiftlet_grant('SELECT, INSERT, UPDATE, DELETE', '\(table)', 'authenticated');
        SELECT swiftlet_grant('ALL', '\(table)', 'service_role');

        """
    }

    private var table: String { Self.reserved.contains(name) ? "\"\(name)\"" : name }

    /// Words that are no names unless quoted (PostgreSQL manual, appendix C), as far as a table might be called so.
    private static let reserved: Set<String> = [
        "all", "analyze", "analyze", "any", "array", "case", "cast", "check", "collate", "column", "constraint",
        "create",
        "default", "do", "else", "end", "except", "fetch", "for", "foreign", "from", "grant", "group", "having", "in",
        "into", "lateral", "leading", "limit", "not", "null", "offset", "on", "only", "or", "order", "placing",
        "primary",
        "references", "returning", "select", "some", "symmetric", "table", "then", "to", "trailing", "true", "union",
        "unique", "user", "using", "variadic", "when", "where", "window", "with",
    ]
}

extension ScopedTable.Scope {
    /// What must be there first.
    fileprivate var preparation: String {
        self == .device ? "-- The table of devices, unless it is there.\nSELECT swiftlet_create_devices();\n\n" : ""
    }

    fileprivate var meaning: String {
        switch self {
        case .device: "every row belongs to one device (see POST /devices), the only one to see and change it."
        case .user: "every row belongs to one user, the only one to see and change it."
        case .tenant: "every row belongs to one tenant, whose users see and change it."
        }
    }

    fileprivate var origin: String {
        switch self {
        case .device: "From the device's session, whatever a body says. It is the id of the device's account."
        case .user:
            """
            From the token's `sub`, whatever a body says. Text, as other issuers have ids of any form; if all users
                -- have accounts of this server: uuid NOT NULL REFERENCES auth.users (id) ON DELETE CASCADE, and
                -- (SELECT auth.uid()) in the policy.
            """
        case .tenant: "From the user's account, whatever a body says."
        }
    }

    fileprivate var columnName: String { rawValue + "_id" }

    fileprivate var column: String {
        switch self {
        case .device: "device_id uuid NOT NULL REFERENCES devices (id) ON DELETE CASCADE"
        case .user: "user_id text NOT NULL"
        case .tenant: "tenant_id varchar NOT NULL"
        }
    }

    /// The caller's id in a subquery is looked up once, and not for each row.
    fileprivate var rule: String {
        switch self {
        case .device: "device_id = (SELECT auth.uid())"
        case .user: "user_id = (SELECT swiftlet_user_id())"
        case .tenant: "tenant_id = (SELECT swiftlet_tenant_id())"
        }
    }
}
