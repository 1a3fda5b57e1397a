import Swiftlet

/// Rows of a table that can be searched, and what the app is told of them.
struct SearchedKind: Sendable {
    let name: StaticString
    let table: StaticString
    let from: SQL
    /// What the app opens.
    var type: SQL
    let title: SQL
    let subtitle: SQL
    /// The columns that are looked at, and their names for the app.
    let columns: [(name: SQL, column: SQL)]

    /// The rows in which one of the columns holds `text`, the best ones first.
    func part(_ text: String, _ tenant: TenantID, _ limit: Int, and condition: SQL) -> DatabasePart {
        DatabasePart(name, of: table, statement(text, tenant, limit, and: condition))
    }

    /// Planned for its text, such a statement costs most in planning: PostgreSQL compares the text with the statistics of
    /// each column. It plans once for all where it does not see the text, which an `OFFSET 0` hides. Texts that no index
    /// finds are looked for in the tenant's rows, as an index would be read as a whole.
    func statement(_ text: String, _ tenant: TenantID, _ limit: Int, and condition: SQL) -> SQL {
        let pattern = Self.escaped(text)
        let end: SQL = Trigrams.areIn(text) ? "" : " || ''"
        var holds: SQL = "FALSE"
        var field: SQL = "CASE"
        var isExact: SQL = "FALSE"
        var begins: SQL = "FALSE"
        for (name, column) in columns {
            holds.append(" OR (\(column)\(end)) ILIKE q.anywhere")
            field.append(" WHEN \(column) ILIKE q.anywhere THEN '\(name)'")
            isExact.append(" OR lower(\(column)) = lower(q.exact)")
            begins.append(" OR \(column) ILIKE q.start")
        }
        return """
            SELECT t.id::text AS id, \(type) AS type, \(title) AS title, \(subtitle) AS subtitle,
                   \(field) END AS match_field, CASE WHEN \(isExact) THEN 0 WHEN \(begins) THEN 1 ELSE 2 END AS rank
            FROM (SELECT \(text)::text AS exact, \(pattern + "%")::text AS start,
                    \("%" + pattern + "%")::text AS anywhere OFFSET 0) q,
                 \(from) t
            WHERE t.tenant_id = \(tenant) AND (\(holds)) AND \(condition)
            ORDER BY rank, 3, 1 LIMIT \(limit)
            """
    }

    /// `%`, `_` and `\` lose their meaning in LIKE (PostgreSQL manual, 9.7.1).
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { pattern, character in
            if "%_\\".contains(character) { pattern += "\\" }
            pattern.append(character)
        }
    }
}

let searchedKinds: [SearchedKind] = [
    SearchedKind(
        name: "businessRecords",
        table: "business_records",
        from: "business_records",
        type: "CASE WHEN lower(t.record_type::text) IN ('lead', 'prospect') THEN 'lead' ELSE 'customer' END",
        title: "t.company_name",
        subtitle: "t.primary_contact_name",
        columns: [
            ("company_name", "t.company_name"), ("customer_number", "t.customer_number"),
            ("primary_contact_name", "t.primary_contact_name"), ("primary_contact_email", "t.primary_contact_email"),
        ]
    ),
    SearchedKind(
        name: "contacts",
        table: "company_contacts",
        from: "company_contacts",
        type: "'contact'",
        title: "concat_ws(' ', t.first_name, t.last_name)",
        subtitle: "t.email",
        columns: [("last_name", "t.last_name"), ("first_name", "t.first_name"), ("email", "t.email")]
    ),
    SearchedKind(
        name: "quotes",
        table: "quotes",
        from: "quotes",
        type: "'quote'",
        title: "t.title",
        subtitle: "t.quote_number",
        columns: [("quote_number", "t.quote_number"), ("title", "t.title")]
    ),
    SearchedKind(
        name: "tickets",
        table: "service_tickets",
        from: "service_tickets",
        type: "'ticket'",
        title: "t.title",
        subtitle: "t.ticket_number",
        columns: [("ticket_number", "t.ticket_number"), ("title", "t.title")]
    ),
    SearchedKind(
        name: "equipment",
        table: "equipment",
        from: "equipment",
        type: "'equipment'",
        title: "coalesce(nullif(concat_ws(' ', t.manufacturer, t.model_number), ''), t.serial_number)",
        subtitle: "t.serial_number",
        columns: [
            ("serial_number", "t.serial_number"), ("model_number", "t.model_number"), ("asset_tag", "t.asset_tag"),
        ]
    ),
    SearchedKind(
        name: "invoices",
        table: "invoices",
        from: "invoices",
        type: "'invoice'",
        title: "t.invoice_number",
        subtitle: "t.invoice_status::text",
        columns: [("invoice_number", "t.invoice_number")]
    ),
    SearchedKind(
        name: "tasks",
        table: "tasks",
        from: "tasks",
        type: "'task'",
        title: "t.title",
        subtitle: "t.status::text",
        columns: [("title", "t.title")]
    ),
    SearchedKind(
        name: "contracts",
        table: "contracts",
        from: "contracts",
        type: "'contract'",
        title: "t.contract_number",
        subtitle: "t.status::text",
        columns: [("contract_number", "t.contract_number")]
    ),
    SearchedKind(
        name: "opportunities",
        table: "deals",
        from: "deals",
        type: "'opportunity'",
        title: "t.title",
        subtitle: "t.company_name",
        columns: [("title", "t.title"), ("company_name", "t.company_name")]
    ),
]
