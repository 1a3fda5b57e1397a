import SwiftletHTTP
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// Changes with an `Idempotency-Key`.
@Suite(.needsDatabase, .hangLimit) struct IdempotencyTests {
    private static let tables = """
        CREATE TABLE bookings (id serial PRIMARY KEY, owner text DEFAULT auth.uid()::text, amount int CHECK (amount > 0));
        ALTER TABLE bookings ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON bookings TO authenticated USING (owner = auth.uid()::text) WITH CHECK (owner = auth.uid()::text);
        GRANT ALL ON bookings, bookings_id_seq TO service_role, authenticated;
        CREATE FUNCTION pay(amount int) RETURNS int LANGUAGE sql
            AS 'INSERT INTO bookings (amount) VALUES (amount) RETURNING id';
        CREATE TABLE late (id int PRIMARY KEY, other int REFERENCES late (id) DEFERRABLE INITIALLY DEFERRED);
        GRANT ALL ON late TO service_role, authenticated;
        CREATE TABLE changes (who text);
        GRANT INSERT ON changes TO authenticated, service_role;
        CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN INSERT INTO changes VALUES (current_user); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER noted AFTER INSERT ON bookings DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION note_change();
        CREATE FUNCTION paid() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT count(*) FROM bookings';

        """

    private static func key(_ text: String) -> KeyValuePairs<Headers.Name, String> {
        ["Idempotency-Key": text, "Prefer": "return=representation", "Content-Type": "application/json"]
    }

    @Test func `makes a change once, and gives its answer again`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let first = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
            #expect(first.status == .created, "\(first.text)")
            #expect(first.text.hasPrefix(#"[{"id":1,"#))
            #expect(first.headers["Idempotency-Replayed"] == nil)
            let again = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
            #expect(again.status == .created)
            #expect(again.text == first.text)
            #expect(again.headers["Idempotency-Replayed"] == "true")
            #expect(again.headers["Content-Type"] == first.headers["Content-Type"])

            let other = try await rest.send(.post, "bookings", #"{"amount":6}"#, as: RestServer.ada, Self.key("a"))
            #expect(other.status.rawValue == 422)
            #expect(other.text.contains("IDEMPOTENCY_KEY_REUSED"))
            // Another table, method or user is another request.
            let elsewhere = try await rest.send(
                .patch,
                "bookings?id=eq.1",
                #"{"amount":5}"#,
                as: RestServer.ada,
                Self.key("a")
            )
            #expect(elsewhere.status.rawValue == 422)
            let bob = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.bob, Self.key("a"))
            #expect(bob.status == .created)
            #expect(bob.headers["Idempotency-Replayed"] == nil)
            // The same person as a member of another tenant.
            let elsewhereToken = try RestServer.token(RestServer.ada, tenant: "b")
            let asMember = try await rest.application.send(
                .post,
                "/rest/v1/bookings",
                token: elsewhereToken,
                #"{"amount":5}"#,
                headers: Self.key("a").map { ($0.key, $0.value) }
            )
            #expect(asMember.status == .created)
            #expect(asMember.headers["Idempotency-Replayed"] == nil)
            #expect(try rest.application.count("bookings") == 3)
            #expect(try rest.application.count("bookings WHERE owner = '\(RestServer.ada)'") == 2)
        }
    }

    @Test func `makes an update and a call of a function once`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            for _ in 0..<2 {
                let paid = try await rest.send(.post, "rpc/pay", #"{"amount":5}"#, as: RestServer.ada, Self.key("pay"))
                #expect(paid.text == "1")
            }
            #expect(try rest.application.count("bookings") == 1)
            let patch = #"{"amount":9}"#
            for isAgain in [false, true] {
                let answer = try await rest.send(
                    .patch,
                    "bookings?amount=eq.5",
                    patch,
                    as: RestServer.ada,
                    Self.key("p")
                )
                #expect(answer.status == .ok)
                #expect(answer.text.contains(#""amount":9"#))
                #expect((answer.headers["Idempotency-Replayed"] == "true") == isAgain)
            }
        }
    }

    @Test func `keeps no error, also none of the commit, and nothing of what is undone`() async throws {
        try await RestServer.with({ $0.ending = .init(isOverridable: true) }, sql: Self.tables) { rest in
            let refused = try await rest.send(.post, "bookings", #"{"amount":0}"#, as: RestServer.ada, Self.key("a"))
            #expect(refused.status == .badRequest)
            let late = try await rest.send(.post, "late", #"{"id":1,"other":2}"#, as: RestServer.ada, Self.key("a"))
            #expect(late.status == .conflict, "\(late.text)")
            let undone: KeyValuePairs<Headers.Name, String> = ["Idempotency-Key": "a", "Prefer": "tx=rollback"]
            #expect(
                try await rest.send(.post, "bookings", #"{"amount":1}"#, as: RestServer.ada, undone).status == .created
            )
            #expect(try rest.application.count("swiftlet.idempotency_keys") == 0)
            #expect(try rest.application.count("bookings") == 0)
            let taken = try await rest.send(.post, "bookings", #"{"amount":1}"#, as: RestServer.ada, Self.key("a"))
            #expect(taken.status == .created)
            let bad = try await rest.send(.post, "bookings", #"{"amount":1}"#, as: RestServer.ada, Self.key("a b"))
            #expect(bad.status == .badRequest)
        }
    }

    @Test func `runs what was put off until the commit as the caller`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let made = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
            #expect(made.status == .created, "\(made.text)")
            #expect(try rest.application.count("changes WHERE who = 'authenticated'") == 1)
            #expect(try rest.application.count("changes") == 1)
        }
    }

    @Test func `looks at no key of a function that only reads, of a plan, or of nobody in particular`() async throws {
        try await RestServer.with({ $0.showsPlans = true }, sql: Self.tables) { rest async throws in
            for _ in 0..<2 {
                let read = try await rest.send(.post, "rpc/paid", "{}", as: RestServer.ada, Self.key("a"))
                #expect(read.status == .ok, "\(read.text)")
                let plan: KeyValuePairs<Headers.Name, String> = [
                    "Idempotency-Key": "a", "Accept": "application/vnd.pgrst.plan+json",
                    "Content-Type": "application/json",
                ]
                let explained = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, plan)
                #expect(explained.status == .ok, "\(explained.text)")
                let made = try await rest.send(.post, "late", "[]", Self.key("a"))
                #expect(made.headers["Idempotency-Replayed"] == nil)
            }
            #expect(try rest.application.count("swiftlet.idempotency_keys") == 0)
        }
    }

    /// As a request to another server has it: those to one server wait for each other's connection first.
    @Test func `refuses a request while one of its key is under way`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let other = try BlockingConnection.connect(to: rest.application.databaseURL)
            let scope = "E'/rest/v1 authenticated\\n\(RestServer.ada)\\na'"
            try other.execute("SELECT pg_advisory_lock(hashtextextended(\(scope), 70))")
            let refused = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
            #expect(refused.status == .conflict, "\(refused.text)")
            #expect(refused.headers["Retry-After"] == "1")
            try other.execute("SELECT pg_advisory_unlock_all()")
            let taken = try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
            #expect(taken.status == .created)
        }
    }

    @Test func `makes a change once, however many ask for it at the same time`() async throws {
        try await RestServer.with(sql: Self.tables) { rest async throws in
            let made = try await withThrowingTaskGroup(of: Response.self) { group in
                for _ in 0..<12 {
                    group.addTask {
                        try await rest.send(.post, "bookings", #"{"amount":5}"#, as: RestServer.ada, Self.key("a"))
                    }
                }
                return try await group.reduce(into: [Response]()) { $0.append($1) }
            }
            for answer in made { #expect([.created, .conflict].contains(answer.status), "\(answer.text)") }
            #expect(made.filter { $0.status == .created && $0.headers["Idempotency-Replayed"] == nil }.count == 1)
            #expect(try rest.application.count("bookings") == 1)
        }
    }
}
