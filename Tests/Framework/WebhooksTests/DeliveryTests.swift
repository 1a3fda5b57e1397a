import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletWebhooks

/// Events of functions, and what becomes of a delivery.
@Suite(.needsDatabase, .hangLimit)
struct DeliveryTests {
    private struct Paid: Codable {
        var invoice: String
    }

    private static let invoices = Function("invoices") {
        Post("/paid") { _, context in
            let count = try await context.webhooks.send("invoice.paid", Paid(invoice: "r/1"))
            return .json(["count": .number(JSONNumber(count))])
        }
        Post("/undone") { _, context in
            try await context.transaction { context in
                try await context.webhooks.send("invoice.paid", Paid(invoice: "2"))
                throw APIError(.conflict, "NO", "No.")
            }
            return .success
        }
        Post("/odd") { _, context in
            try await context.webhooks.send("no event\n", Paid(invoice: "3"))
            return .success
        }
        Post("/large") { _, context in
            try await context.webhooks.send("large", Paid(invoice: String(repeating: "x", count: 300_000)))
            return .success
        }
    }

    private static func post(_ receiver: Receiver, _ path: String, tenant: String = "acme") async throws -> Response {
        let token = try TestApplication.token(tenant: tenant, user: "ada")
        return try await receiver.application.send(.post, path, token: token)
    }

    @Test func `an event goes to everybody who has asked for it, and to no other tenant`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            for path in ["/own", "/all", "/other", "/strange"] { try await receiver.answer(path, 204) }
            _ = try receiver.add("/own", events: ["invoice.sent", "invoice.paid"], tenant: "acme")
            _ = try receiver.add("/all", events: ["*"])
            _ = try receiver.add("/other", events: ["invoice.sent"])
            _ = try receiver.add("/strange", events: ["*"], tenant: "nordlicht")
            #expect(try await Self.post(receiver, "/invoices/paid").text == #"{"count":2}"#)
            #expect(try await receiver.waits(for: "delivered", 2))
            let posted = try #require(try await receiver.last("/own"))
            #expect(posted.body["type"] == "invoice.paid" && posted.body["data"]?["invoice"] == "r/1")
            #expect(posted.body["tenant"] == "acme" && posted.body["timestamp"]?.string?.hasSuffix("Z") == true)
            #expect(try await receiver.last("/all")?.headers["webhook-id"] == posted.headers["webhook-id"])
            #expect(try await receiver.count("/other") == 0)
            #expect(try await receiver.count("/strange") == 0)
        }
    }

    @Test func `an undone event, a bad one and a large one are not sent`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            _ = try receiver.add("/all", events: ["*"])
            #expect(try await Self.post(receiver, "/invoices/undone").status == .conflict)
            #expect(try await Self.post(receiver, "/invoices/odd").status == .internalServerError)
            #expect(try await Self.post(receiver, "/invoices/large").status == .internalServerError)
            #expect(try receiver.application.count("swiftlet.webhook_deliveries") == 0)
            #expect(try receiver.application.count("swiftlet.jobs WHERE name = 'swiftlet-webhook'") == 0)
        }
    }

    @Test func `is tried again with the same id until it is taken`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            try await receiver.answer("/hook", 500, "out of paper")
            _ = try receiver.add("/hook", events: ["*"])
            _ = try await Self.post(receiver, "/invoices/paid")
            let isRecorded = try await eventually {
                try receiver.value("SELECT attempts FROM swiftlet.webhook_deliveries") == "1"
            }
            #expect(isRecorded)
            #expect(try receiver.value("SELECT answer FROM swiftlet.webhook_deliveries") == "out of paper")
            #expect(try receiver.value("SELECT error FROM swiftlet.webhook_deliveries") == "it answers 500")
            #expect(try receiver.value("SELECT failing_since IS NULL FROM swiftlet.webhooks") == "f")
            let first = try await receiver.last("/hook")?.headers["webhook-id"]
            try await receiver.answer("/hook", 200)
            try receiver.hurry()
            #expect(try await receiver.waits(for: "delivered"))
            #expect(try await receiver.last("/hook")?.headers["webhook-id"] == first)
            #expect(try receiver.value("SELECT failing_since IS NULL FROM swiftlet.webhooks") == "t")
            #expect(try receiver.value("SELECT attempts FROM swiftlet.webhook_deliveries") == "2")
        }
    }

    @Test(arguments: ["/big?bytes=50000000", "/stream?bytes=50000000", "/half"])
    func `reads no more of an answer than it keeps`(path: String) async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            _ = try receiver.add(path, events: ["*"])
            _ = try await Self.post(receiver, "/invoices/paid")
            #expect(try await receiver.waits(for: "delivered"))
            #expect(try receiver.value("SELECT length(answer) <= 1024 FROM swiftlet.webhook_deliveries") == "t")
        }
    }

    @Test(arguments: ["/hang", "/nothing", "/garbage", "/hugehead", "/redirect?to=/all"])
    func `takes no bad answer for a good one`(path: String) async throws {
        var settings = WebhookSettings.local
        settings.timeout = .milliseconds(300)
        try await Receiver.with([Self.invoices], settings: settings) { receiver async throws in
            try await receiver.answer("/all", 200)
            _ = try receiver.add(path, events: ["*"])
            _ = try await Self.post(receiver, "/invoices/paid")
            let isRecorded = try await eventually {
                try receiver.value("SELECT attempts FROM swiftlet.webhook_deliveries") == "1"
            }
            #expect(isRecorded)
            #expect(try receiver.value("SELECT state FROM swiftlet.webhook_deliveries") == "waiting")
            #expect(try await receiver.count("/all") == 0)
        }
    }

    @Test func `an endpoint that is gone, or fails for days, is paused, and what comes is held until it is resumed`()
        async throws
    {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            let directory = try WebhookDirectory(receiver.application.databaseURL)
            try await receiver.answer("/gone", 410)
            try await receiver.answer("/old", 500)
            let gone = try receiver.add("/gone", events: ["*"])
            let old = try receiver.add("/old", events: ["*"])
            try receiver.application.execute(
                "UPDATE swiftlet.webhooks SET failing_since = now() - interval '73 hours', failures = 1 WHERE id = \(old)"
            )
            _ = try await Self.post(receiver, "/invoices/paid")
            let isPaused = try await eventually {
                try receiver.application.count("swiftlet.webhooks WHERE paused_at IS NOT NULL") == 2
            }
            #expect(isPaused)
            #expect(try directory.list().map { $0[5].hasPrefix("paused: it ") } == [true, true])
            try receiver.hurry()
            #expect(try await receiver.waits(for: "held", 1))
            _ = try await Self.post(receiver, "/invoices/paid")
            #expect(try await receiver.waits(for: "held", 3))
            #expect(try await receiver.count("/gone") == 1)
            #expect(try await receiver.count("/old") == 1)

            for path in ["/gone", "/old"] { try await receiver.answer(path, 200) }
            #expect(try directory.resume(old) == 2)
            #expect(try directory.resume(gone) == 1)
            #expect(try directory.resume(99) == nil)
            #expect(try await receiver.waits(for: "delivered", 3))
            #expect(try directory.list().map { $0[5] } == ["active", "active"])
        }
    }

    @Test func `an endpoint that fails again and again is asked by one delivery at a time`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            try await receiver.answer("/hook", 500)
            _ = try receiver.add("/hook", events: ["*"])
            try receiver.application.execute(
                "UPDATE swiftlet.webhooks SET failing_since = now(), failures = 9, retry_at = now() + interval '1 hour'"
            )
            for _ in 0..<3 { _ = try await Self.post(receiver, "/invoices/paid") }
            let isPostponed = try await eventually {
                try receiver.application.count(
                    "swiftlet.jobs WHERE name = 'swiftlet-webhook' AND due > now() + interval '50 minutes'"
                ) == 3
            }
            #expect(isPostponed)
            #expect(try await receiver.count("/hook") == 0)
            try receiver.application.execute("UPDATE swiftlet.webhooks SET retry_at = now()")
            try receiver.hurry()
            let isProbed = try await eventually { try receiver.value("SELECT failures FROM swiftlet.webhooks") == "10" }
            #expect(isProbed)
            let isDone = try await eventually {
                try receiver.application.count("swiftlet.jobs WHERE due <= now() AND name = 'swiftlet-webhook'") == 0
            }
            #expect(isDone)
            #expect(try await receiver.count("/hook") == 1)
        }
    }

    @Test(arguments: [
        (0, 3, false, 3, nil), (0, 5, false, 5, 30), (0, 9, false, 5, 30), (5, 1, true, 6, 60), (90, 1, true, 91, 3600),
        (2_000_000, 1, true, 1_000_001, 3600),
    ])
    func `the endpoint's own count decides how long it is left alone`(
        failures: Int,
        more: Int,
        isProbe: Bool,
        count: Int,
        rest: Int?
    ) async throws {
        try await Receiver.with { receiver async throws in
            let id = try receiver.add("/hook", events: ["*"])
            try receiver.application.execute("UPDATE swiftlet.webhooks SET failures = \(failures)")
            let sql = WebhookStatements.noteFailure(id, pausesAfter: 9999, isProbe: isProbe, isGone: false)
            for _ in 0..<more { _ = try await receiver.application.database.query(sql) }
            #expect(try receiver.value("SELECT failures FROM swiftlet.webhooks") == String(count))
            let seconds =
                "SELECT (floor(extract(epoch FROM retry_at - failing_since)) / 30)::int * 30 FROM swiftlet.webhooks"
            #expect(try receiver.value(seconds) == rest.map { String($0) })
        }
    }

    @Test func `a failing endpoint without a time to come back is asked`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            try await receiver.answer("/hook", 500)
            _ = try receiver.add("/hook", events: ["*"])
            try receiver.application.execute("UPDATE swiftlet.webhooks SET failing_since = now(), failures = 7")
            _ = try await Self.post(receiver, "/invoices/paid")
            let isAsked = try await eventually { try receiver.value("SELECT failures FROM swiftlet.webhooks") == "8" }
            #expect(isAsked)
            #expect(try receiver.value("SELECT retry_at > now() FROM swiftlet.webhooks") == "t")
        }
    }

    @Test func `replays by hand, with the same id`() async throws {
        try await Receiver.with([Self.invoices]) { receiver async throws in
            let directory = try WebhookDirectory(receiver.application.databaseURL)
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", events: ["*"])
            _ = try await Self.post(receiver, "/invoices/paid")
            #expect(try await receiver.waits(for: "delivered"))
            let id = try #require(try directory.log(webhook: nil, state: "delivered", limit: 10).first?.first)
            let number = try #require(Int(id))
            #expect(try directory.replay(number))
            let isAgain = try await eventually { try await receiver.count("/hook") == 2 }
            #expect(isAgain)
            #expect(try await receiver.waits(for: "delivered"))
            #expect(try directory.show(number)?.first { $0.name == "body" }?.value.contains("invoice.paid") == true)
            #expect(try !directory.replay(number + 1) && directory.show(number + 1) == nil)

            try receiver.application.execute("UPDATE swiftlet.webhook_deliveries SET state = 'failed'")
            #expect(try directory.replayFailed(of: 99) == 0)
            #expect(try directory.replayFailed(of: nil) == 1)
            let isThird = try await eventually { try await receiver.count("/hook") == 3 }
            #expect(isThird)
        }
    }

    @Test func `posts to no private address`() async throws {
        try await Receiver.with([Self.invoices], refusesPrivate: true) { receiver async throws in
            try await receiver.answer("/hook", 200)
            _ = try receiver.add("/hook", events: ["*"])
            _ = try await Self.post(receiver, "/invoices/paid")
            #expect(try await receiver.waits(for: "failed"))
            #expect(try await receiver.count("/hook") == 0)
            let error = try receiver.value("SELECT error FROM swiftlet.webhook_deliveries")
            #expect(error?.contains("WEBHOOK_ALLOW_PRIVATE") == true)
        }
    }
}
