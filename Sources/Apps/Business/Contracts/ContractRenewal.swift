public import Swiftlet

/// Contracts that end soon, and how they go on.
public let contractRenewal = Function("contract-renewal") {
    Get("/upcoming", upcoming).taking(query: ["days": .integer, "tz": .text]).answering(
        .rows([
            "id": .text, "contract_id": .text, "contract_number": .text.nullable, "customer_id": .text.nullable,
            "customer_name": .text.nullable, "end_date": .timestamp, "status": .text,
            "created_at": .timestamp.nullable, "annual_value": .number.nullable, "risk_score": .integer,
            "notes": .text.nullable,
        ])
    )
    Post("/:id/renew", renew).answering(contractResource.rowSchema).answering(.created, contractResource.rowSchema)
        .refusing(.conflict, .unprocessableContent)
}

/// Lists the contracts that end within `days`, today included, the next one first. The risk is 100 on the last day.
private func upcoming(_ request: Request, _ context: Context) async throws -> Response {
    let (days, count) = (try Days(request), try request.query.days(default: 90))
    return try .list(
        await rows(
            of: "contracts",
            context,
            """
            SELECT c.id::text AS id, c.id::text AS contract_id, c.contract_number,
                   to_jsonb(c) ->> 'customer_id' AS customer_id,
                   r.company_name AS customer_name, c.end_date, coalesce(to_jsonb(c) ->> 'status', 'active') AS status,
                   (to_jsonb(c) ->> 'created_at')::timestamp AS created_at,
                   coalesce((to_jsonb(c) ->> 'annual_value')::numeric,
                            (to_jsonb(c) ->> 'monthly_base')::numeric * 12) AS annual_value,
                   greatest(0, 100 - (\(days.date(of: "c.end_date")) - \(days.date))) AS risk_score, to_jsonb(c) ->> 'notes' AS notes
            FROM contracts c
            LEFT JOIN business_records r
                ON r.id::text = to_jsonb(c) ->> 'customer_id' AND r.tenant_id = \(context.tenant)
            WHERE c.tenant_id = \(context.tenant)
            AND coalesce(lower(to_jsonb(c) ->> 'status'), 'active') IN ('active', 'expiring')
            AND c.end_date >= \(days.today) AND c.end_date < \(days.start(daysAgo: -1 - count))
            ORDER BY c.end_date, c.id LIMIT 500
            """
        )
    )
}

private let renewals = Resource("contracts", scope: .tenant) { contractRules() }

private let kept = [
    "customer_id", "title", "type", "black_rate", "color_rate", "monthly_base", "annual_value", "billing_frequency",
    "payment_terms", "coverage_type", "includes_supplies", "sla_response_hours", "auto_renew", "renewal_term_months",
    "notes",
]

/// The contract that begins when this one ends, for a year. Asking twice, or two who ask at once, get the same one; a
/// database without links between contracts knows it by its number.
private func renew(_ request: Request, _ context: Context) async throws -> Response {
    try await context.transaction { context in
        let status = try await contractResource.get(context.parameters["id"], in: context)["status"]?.string ?? ""
        guard ["active", "expiring", "expired", "renewed"].contains(status) else {
            throw APIError(.conflict, "CONFLICT", "A contract that is \(status) cannot be renewed")
        }
        // Whoever comes second waits here for the first one's end.
        let old = try await contractResource.update(context.parameters["id"], ["status": "renewed"], in: context)
            .object()
        let (id, number) = (old["id"]?.string ?? "", "\(old["contract_number"]?.string ?? "")-R")
        let found = try await context.database.query(
            """
            SELECT next.id, c.end_date + interval '1 day' AS starts, c.end_date + interval '1 day' + interval '1 year' - interval '1 day' AS ends
            FROM (SELECT NULL AS renewed_from_id) absent, LATERAL (
                SELECT (SELECT n.id::text FROM contracts n WHERE n.tenant_id = \(context.tenant)
                        AND (renewed_from_id::text = \(id)
                             OR n.contract_number = \(number) AND NOT to_jsonb(n) ? 'renewed_from_id') LIMIT 1) AS id
            ) next, contracts c
            WHERE c.tenant_id = \(context.tenant) AND c.id::text = \(id)
            """
        )
        guard let found = found.first else { throw APIError.notFound }
        if let next = try found.decode(String?.self, "id") {
            return try await contractResource.get(next, in: context).response()
        }
        var values: JSONObject = [
            "contract_number": .string(number), "renewed_from_id": .string(id), "status": "active",
            "start_date": try found.json("starts"), "end_date": try found.json("ends"),
        ]
        for key in kept where old[key] ?? .null != .null { values[key] = old[key] }
        return try await renewals.create(values, in: context).response(.created)
    }
}
