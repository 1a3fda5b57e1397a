import Swiftlet

/// A step on the way of a deal. Each tenant has its own; one that is named for the first time is made.
struct DealStage {
    let id: String
    let outcome: Outcome

    enum Outcome: String {
        case open
        case won
        case lost
    }

    /// What the app shows, in the order of its columns.
    private static let usualOrder = [
        "new", "contacted", "qualified", "proposal", "negotiation", "closed_won", "closed_lost",
    ]

    /// The stage of that name, made if the tenant has none.
    static func named(_ name: String, _ context: Context) async throws -> DealStage {
        if let stage = try await find(name, context) { return stage }
        let canonical = canonical(name)
        let order = usualOrder.firstIndex(of: canonical) ?? usualOrder.count
        let isWon = canonical == "closed_won"
        // Another request may make it at this moment; then its stage is found behind this statement.
        _ = try await context.database.query(
            """
            INSERT INTO deal_stages (id, tenant_id, name, sort_order, is_closing_stage, is_won_stage)
            VALUES (gen_random_uuid(), \(context.tenant), \(name), \(order), \(isWon || canonical == "closed_lost"),
                    \(isWon))
            ON CONFLICT DO NOTHING
            """
        )
        guard let stage = try await find(name, context) else { throw APIError.notFound }
        return stage
    }

    /// nil if the tenant has no such stage.
    static func with(id: String, _ context: Context) async throws -> DealStage? {
        try await DealStage(
            context.database.query(
                """
                SELECT id::text, name, is_won_stage, is_closing_stage FROM deal_stages
                WHERE tenant_id = \(context.tenant) AND id::text = \(id)
                """
            ).first
        )
    }

    private static func find(_ name: String, _ context: Context) async throws -> DealStage? {
        try await DealStage(
            context.database.query(
                """
                SELECT id::text, name, is_won_stage, is_closing_stage FROM deal_stages
                WHERE tenant_id = \(context.tenant)
                  AND lower(translate(name, ' -', '__')) = lower(translate(\(name), ' -', '__'))
                ORDER BY sort_order, id LIMIT 1
                """
            ).first
        )
    }

    private init?(_ row: Row?) throws {
        guard let row else { return nil }
        id = try row.decode(String.self, "id")
        let name = Self.canonical(try row.decode(String.self, "name"))
        let isWon = try row.decode(Bool?.self, "is_won_stage") ?? false
        let isClosing = try row.decode(Bool?.self, "is_closing_stage") ?? false
        outcome =
            isWon || name == "closed_won" ? .won : isClosing || name == "closed_lost" ? .lost : .open
    }

    private static func canonical(_ name: String) -> String {
        String(name.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}
