import SwiftletJobs
import SwiftletPostgres
public import SwiftletWeb

/// Events that functions tell other programs, as `context.webhooks`:
///
///     try await context.transaction { context in
///         let invoice = try await invoices.update(id, ["paid_at": .now], in: context)
///         try await context.webhooks.send("invoice.paid", PaidInvoice(id: id))
///     }
///
/// An event is stored in the context's transaction, and posted after its commit to every endpoint that has asked for it
/// (`swiftlet webhooks add URL --event invoice.paid`): signed, and until it is taken, for about three days.
public struct Webhooks: Sendable {
    let context: Context

    /// Stores an event of this tenant for all endpoints that want it; of a job across tenants, for those that are no
    /// tenant's. Each gets `{"type":"invoice.paid","timestamp":"…","tenant":"…","data":…}` with the payload as `data`.
    ///
    /// Returns how many endpoints there are, often none. Throws ``WebhookError``, `EncodingError` and ``PostgresError``,
    /// and 503 `WEBHOOKS_UNAVAILABLE` where the database lacks a migration.
    @discardableResult
    public func send(_ event: String, _ payload: some Encodable) async throws -> Int {
        let name = try EventName(event)
        let tenant = context.tenantName
        let body = try EventBody.encode(name, tenant: tenant, payload, at: context.server.clock.milliseconds())
        let rows: [Row]
        do throws(PostgresError) {
            rows = try await context.query(WebhookStatements.queue(name.rawValue, tenant: tenant, body))
        } catch {
            guard [.undefinedTable, .undefinedFunction].contains(error.state) else { throw error }
            throw APIError.unavailable(
                "WEBHOOKS_UNAVAILABLE",
                "This server cannot send webhooks: its database lacks a migration"
            )
        }
        if !rows.isEmpty { context.afterCommit(context[WorkAnnouncementKey.self]) }
        return rows.count
    }
}

extension Context {
    /// Tells other programs what has happened.
    public var webhooks: Webhooks { Webhooks(context: self) }

    /// nil where there is no tenant.
    fileprivate var tenantName: String? { (try? tenant)?.rawValue }
}
