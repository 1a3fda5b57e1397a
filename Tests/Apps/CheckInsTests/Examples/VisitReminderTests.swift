import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletPush
import SwiftletTesting
import Testing
import SwiftletWeb

/// The worked example of docs/jobs.md.
@Suite(.needsDatabase, .hangLimit) struct VisitReminderTests {
    private static let table = """
        CREATE TABLE visits (
            id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            tenant_id varchar NOT NULL,
            customer_id text NOT NULL,
            place text NOT NULL,
            starts_at timestamptz NOT NULL
        );
        SELECT swiftlet_protect('visits', 'tenant_id::text = (SELECT swiftlet_tenant_id())');
        """

    @Test func `a customer is reminded once, an hour before, wherever the visit is moved`() async throws {
        let outbox = Circle.Outbox { _, _ in .accepted }
        try await TestApplication.with([visits], sql: Self.table, performsJobs: true, push: outbox.sender) {
            application async throws in
            try application.execute(
                """
                INSERT INTO push_tokens (token, user_id, platform, app) VALUES
                    ('phone', 'carla', 'ios', 'example.app'), ('other', 'dora', 'ios', 'example.app')
                """
            )
            let waiting = """
                SELECT count(*) || ' ' || round(extract(epoch FROM min(job.due) - min(visit.starts_at)) / 60)
                FROM swiftlet.jobs AS job, visits AS visit WHERE job.name = 'remind-of-visit'
                """
            let connection = try BlockingConnection.connect(to: application.databaseURL)
            func value(_ sql: String) throws -> String? { try connection.query(sql).first?[0] }
            let token = try TestApplication.token(tenant: "acme", user: "ada")
            func start(in minutes: Double) -> String {
                Date(timeIntervalSinceNow: minutes * 60).ISO8601Format()
            }
            let made = try await application.send(
                .post,
                "/visits",
                token: token,
                #"{"customer_id":"carla","place":"Harbour 7","starts_at":"\#(start(in: 120))"}"#
            )
            #expect(made.status == .created, "\(made.text)")
            let id = try #require(try JSONParser.parse(made.body)["id"]?.string)
            #expect(try value(waiting) == "1 -60")
            func move(_ minutes: Double) async throws {
                let body = #"{"starts_at":"\#(start(in: minutes))"}"#
                #expect(try await application.send(.patch, "/visits/\(id)", token: token, body).status == .ok)
            }
            try await move(180)
            #expect(try value(waiting) == "1 -60")
            #expect(outbox.all.isEmpty)
            try await move(30)
            #expect(try await eventually { outbox.tokens == ["phone"] })
            #expect(outbox.all.first?.body == "Harbour 7")
            #expect(outbox.all.first?.id == id)
            let ended = "SELECT string_agg(state, ' ') FROM swiftlet.job_history"
            #expect(try await eventually { try value(ended) == "done" })
            // Over by now.
            try await move(-30)
            #expect(try await eventually { try value(ended) == "done done" })
            #expect(outbox.tokens == ["phone"])
        }
    }

    @Test func `the page on jobs shows what is compiled here`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let page = try String(
            contentsOf: folder.appending(path: "../../../../docs/jobs.md").standardized,
            encoding: .utf8
        )
        let code = try String(contentsOf: folder.appending(path: "Visits.swift"), encoding: .utf8)
        let (head, body) = try #require(
            code.firstRange(of: "/// Appointments").map { (code[..<$0.lowerBound], code[$0.lowerBound...]) }
        )
        #expect(head.contains("import Swiftlet"))
        #expect(page.contains("```swift\nimport Swiftlet\n\n\(body)```"))
        let table = Self.table.split(separator: "\n").joined(separator: "\n")
        #expect(page.contains("```sql\n\(table)\n```"))
    }
}
