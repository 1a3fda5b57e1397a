import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletWebhooks

/// Changes of rows.
@Suite(.needsDatabase, .hangLimit)
struct TableWebhookTests {
    private static let vans = """
        CREATE TABLE public.vans (id int PRIMARY KEY, tenant_id text, plate text, extra json);
        CREATE SCHEMA "Odd one"; CREATE TABLE "Odd one"."Table x" (id int);
        """

    @Test func `posts Supabase's payload, signed`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"])
            try receiver.application.execute(#"INSERT INTO vans VALUES (1, 't1', 'W 1', '{"a":"\u0000"}')"#)
            #expect(try await receiver.waits(for: "delivered"))
            let posted = try #require(try await receiver.last("/hook"))
            #expect(
                posted.body["type"] == "INSERT" && posted.body["table"] == "vans" && posted.body["schema"] == "public"
            )
            #expect(posted.body["old_record"] == .null)
            #expect(posted.body["record"]?["plate"] == "W 1")
            #expect(try posted.signature == Self.signature(of: posted, Receiver.secret))
            #expect(posted.headers["content-type"] == "application/json")

            try receiver.application.execute("UPDATE vans SET plate = 'W 2'")
            #expect(try await receiver.waits(for: "delivered", 2))
            let update = try #require(try await receiver.last("/hook")).body
            #expect(update["type"] == "UPDATE" && update["record"]?["plate"] == "W 2")
            #expect(update["old_record"]?["plate"] == "W 1")

            try receiver.application.execute("DELETE FROM vans")
            #expect(try await receiver.waits(for: "delivered", 3))
            let deletion = try #require(try await receiver.last("/hook")).body
            #expect(deletion["type"] == "DELETE" && deletion["record"] == .null)
            #expect(deletion["old_record"]?["plate"] == "W 2")
        }
    }

    /// What `webhook-signature` has to be.
    private static func signature(of posted: Receiver.Posted, _ secrets: String...) throws -> String? {
        let id = try #require(posted.headers["webhook-id"]?.string)
        let seconds = try #require(posted.headers["webhook-timestamp"]?.string.flatMap { Int($0) })
        let keys = try secrets.map { try HMACKey(webhook: Secret($0)) }
        return try WebhookSignature.headers(id: id, seconds: seconds, body: Array(posted.text.utf8), keys).last?.value
    }

    @Test func `signs with the former secret too until it expires`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            let directory = try WebhookDirectory(receiver.application.databaseURL)
            let id = try receiver.add("/hook", tables: ["vans"])
            var count = 0
            func posted() async throws -> Receiver.Posted {
                count += 1
                try receiver.application.execute("INSERT INTO vans (id) VALUES (\(count))")
                #expect(try await receiver.waits(for: "delivered", count))
                return try #require(try await receiver.last("/hook"))
            }
            let (second, third) = (try WebhookSecret.make(), try WebhookSecret.make())
            #expect(try directory.rotate(id, to: second, keepsFormer: true))
            let beside = try await posted()
            #expect(try beside.signature == Self.signature(of: beside, second, Receiver.secret))

            try receiver.application.execute(
                "UPDATE swiftlet.webhooks SET former_secret_expires_at = former_secret_expires_at - interval '1 day'"
            )
            let after = try await posted()
            #expect(try after.signature == Self.signature(of: after, second))

            #expect(try directory.rotate(id, to: third, keepsFormer: false))
            let atOnce = try await posted()
            #expect(try atOnce.signature == Self.signature(of: atOnce, third))
            #expect(try !directory.rotate(id + 1, to: third, keepsFormer: true))
        }
    }

    @Test func `tells what is committed, and nothing else`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"], operations: ["delete"])
            try receiver.application.execute(
                "BEGIN; INSERT INTO vans VALUES (1); DELETE FROM vans; ROLLBACK; INSERT INTO vans VALUES (2)"
            )
            #expect(try receiver.application.count("swiftlet.webhook_deliveries") == 0)
            try receiver.application.execute("DELETE FROM vans")
            #expect(try await receiver.waits(for: "delivered"))
            #expect(try await receiver.last("/hook")?.body["old_record"]?["id"] == 2)
        }
    }

    @Test func `tells a tenant's endpoint that tenant's rows alone`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"], tenant: "t1")
            try receiver.application.execute(
                """
                INSERT INTO vans VALUES (1, 't2', 'secret'), (2, NULL, 'secret');
                UPDATE vans SET plate = 'own', tenant_id = 't1' WHERE id = 1;
                UPDATE vans SET plate = 'secret', tenant_id = 't2' WHERE id = 1;
                """
            )
            #expect(try await receiver.waits(for: "delivered"))
            #expect(try receiver.application.count("swiftlet.webhook_deliveries") == 1)
            let posted = try #require(try await receiver.last("/hook"))
            #expect(posted.body["record"]?["plate"] == "own" && posted.body["old_record"] == .null)
        }
    }

    @Test func `whoever may write a table needs no right to the log`() async throws {
        let sql =
            Self.vans + """
                DO $$ BEGIN CREATE ROLE webhook_clerk; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
                GRANT INSERT ON vans TO webhook_clerk;
                """
        try await Receiver.with(sql: sql) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"])
            try receiver.application.execute("SET ROLE webhook_clerk; INSERT INTO vans VALUES (1)")
            #expect(try await receiver.waits(for: "delivered"))
            for statement in [
                "SELECT secret FROM swiftlet.webhooks", "SELECT body FROM swiftlet.webhook_deliveries",
                "SELECT swiftlet.queue_webhook(1, false, 'e', gen_random_uuid(), '{}')",
            ] {
                #expect(throws: BlockingConnectionError.self) {
                    try receiver.application.execute("SET ROLE webhook_clerk; \(statement)")
                }
            }
        }
    }

    @Test func `cuts a row that is too large`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"])
            try receiver.application.execute("INSERT INTO vans VALUES (7, 't1', repeat('x', 2000000))")
            #expect(try await receiver.waits(for: "delivered"))
            let posted = try #require(try await receiver.last("/hook"))
            #expect(posted.text.utf8.count < 1000)
            #expect(posted.body["is_truncated"] == true && posted.body["record"]?["id"] == 7)
            #expect(posted.body["record"]?["plate"] == nil)
        }
    }

    @Test(arguments: [#""\u0000""#, #""\ud800""#, #""\udc00\ud800""#])
    func `no write fails because of what json columns may hold`(value: String) async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", tables: ["vans"], tenant: "t1")
            try receiver.application.execute(
                """
                INSERT INTO vans VALUES (1, 't1', 'W 1', '\(value)');
                INSERT INTO vans VALUES (2, 't2', repeat('x', 2000000), '\(value)');
                UPDATE vans SET tenant_id = 't1' WHERE id = 2;
                """
            )
            #expect(try await receiver.waits(for: "delivered", 2))
            let bodies = "swiftlet.webhook_deliveries WHERE body"
            #expect(try receiver.application.count("\(bodies) LIKE '%W 1%'") == 1)
            let cut = #"{"type" : "UPDATE", "table" : "vans", "schema" : "public", "record" : {}, "old_record" : null"#
            #expect(try receiver.application.count("\(bodies) LIKE '\(cut), \"is_truncated\" : true}'") == 1)
        }
    }

    @Test func `a tenant's endpoint needs a table with tenants, and a table that loses them is still written`()
        async throws
    {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            let odd = try NewWebhook("https://example.org", tables: ["\"Odd one\".\"Table x\""], tenant: "t1")
            #expect(try WebhookDirectory(receiver.application.databaseURL).add(odd) == nil)
            _ = try receiver.add("/hook", tables: ["vans"], tenant: "t1")
            try receiver.application.execute("ALTER TABLE vans DROP COLUMN tenant_id; INSERT INTO vans VALUES (1)")
            #expect(try receiver.application.count("vans") == 1)
            #expect(try receiver.application.count("swiftlet.webhook_deliveries") == 0)
        }
    }

    @Test func `touches no table but those named, and leaves nothing behind`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            let triggers = "pg_trigger WHERE tgname LIKE 'swiftlet\\_webhook%'"
            #expect(try receiver.application.count(triggers) == 0)
            let directory = try WebhookDirectory(receiver.application.databaseURL)
            let id = try receiver.add("/hook", tables: ["vans", "\"Odd one\".\"Table x\""])
            #expect(try receiver.application.count(triggers) == 2)
            #expect(try directory.list().first?[2].contains("vans") == true)
            #expect(try directory.remove(id))
            #expect(try !directory.remove(id))
            #expect(try receiver.application.count(triggers) == 0)
            #expect(try receiver.application.count("swiftlet.webhooks") == 0)
            let unknown = try NewWebhook("https://example.org", tables: ["vans", "nothing"])
            #expect(try directory.add(unknown) == nil)
            let view = try NewWebhook("https://example.org", tables: ["pg_tables"])
            #expect(try directory.add(view) == nil)
            // A delivery would tell of itself, and secrets would go out.
            for table in ["swiftlet.webhook_deliveries", "swiftlet.webhooks"] {
                #expect(try directory.add(NewWebhook("https://example.org", tables: [table])) == nil, "\(table)")
            }
            #expect(try receiver.application.count("swiftlet.webhooks") == 0)
        }
    }

    @Test func `a webhook that was deleted by hand stops no write`() async throws {
        try await Receiver.with(sql: Self.vans) { receiver async throws in
            _ = try receiver.add("/hook", tables: ["vans"])
            try receiver.application.execute("DELETE FROM swiftlet.webhooks; INSERT INTO vans VALUES (1)")
            #expect(try receiver.application.count("vans") == 1)
            #expect(try receiver.application.count("swiftlet.webhook_deliveries") == 0)
        }
    }
}
