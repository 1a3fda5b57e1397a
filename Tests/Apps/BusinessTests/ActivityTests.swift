import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ActivityTests {
    struct AppActivity: Decodable {
        let id: String
        let type: String?
        let activityType: String?
        let title: String?
        let subject: String?
        let description: String?
        let notes: String?
        let entityType: String?
        let entityId: String?
        let businessRecordId: String?
        let userId: String?
        let userName: String?
        let createdBy: String?
        let createdAt: Date?
    }

    private func company(_ caller: Shop.Caller) async throws -> String {
        try await caller.make("/customers", #"{"company_name":"Acme"}"#)
    }

    @Test func `an activity is told in all spellings, changed and deleted`() async throws {
        try await Shop.with { shop in
            let company = try await company(shop.alice)
            let body = #"{"business_record_id":"\#(company)","activity_type":"call","subject":"Hello","notes":"n"}"#
            let made: AppActivity = try await shop.alice.decode(.post, "/api/activities", body, is: .created)
            #expect(made.type == "call")
            #expect(made.activityType == "call")
            #expect(made.title == "Hello")
            #expect(made.subject == made.title)
            #expect(made.description == "n")
            #expect(made.notes == "n")
            #expect(made.entityType == "business_record")
            #expect(made.entityId == company)
            #expect(made.userId == "alice")
            let change = #"{"title":"Bye","description":null,"type":"meeting"}"#
            let changed: AppActivity = try await shop.alice.decode(.patch, "/activities/\(made.id)", change)
            #expect(changed.subject == "Bye")
            #expect(changed.type == "meeting")
            #expect(changed.notes == nil)
            let done = try await shop.alice.json(.patch, "/activities/\(made.id)/complete")
            #expect(done["completed_date"]?.string?.hasSuffix("Z") == true)
            #expect(done["subject"] == "Bye")
            let recent: [AppActivity] = try await shop.alice.decode(.get, "/activities/recent")
            #expect(recent.map(\.id) == [made.id])
            for (query, total) in [
                ("businessRecordId=\(company)", 1), ("activityType=meeting", 1), ("type=call", 0), ("search=bye", 1),
                ("page=2&limit=20", 1),
            ] {
                let page: AppPage<AppActivity> = try await shop.alice.decode(.get, "/activities?\(query)")
                #expect(page.total == total, "\(query)")
            }
            for _ in 0..<2 {
                #expect(try await shop.alice.json(.delete, "/activities/\(made.id)")["success"] == true)
            }
            #expect(try shop.count("business_record_activities WHERE subject = 'Bye'") == 0)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let company = try await company(shop.alice)
            let theirs = try await self.company(shop.bob)
            let entity = #""business_record_id":"\#(company)""#
            let id = try await shop.alice.make("/activities", #"{"type":"note","subject":"Old",\#(entity)}"#)
            let before = try shop.count("business_record_activities")
            let rest = #""subject":"x","type":"note",\#(entity)"#
            var table = ["description", "direction", "email_from", "call_outcome", "outcome", "next_action"]
                .flatMap { BadField.all($0, .text, with: rest) }
            table += ["scheduled_date", "completed_date", "due_date", "follow_up_date", "activity_date"]
                .flatMap { BadField.all($0, .date, with: rest) }
            table += BadField.all("call_duration", .integer, with: rest) + BadField.all("is_shared", .flag, with: rest)
            table += ["latitude", "horizontal_accuracy_meters"].flatMap { BadField.all($0, .number, with: rest) }
            table += BadField.all("type", .requiredText, with: #""subject":"x",\#(entity)"#)
            table += BadField.all("subject", .requiredText, with: #""type":"note",\#(entity)"#)
            table += BadField.all("business_record_id", .foreign(theirs), with: #""subject":"x","type":"note""#)
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/activities", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/activities/\(id)", bad.body)
            }
            #expect(try shop.count("business_record_activities") == before)
            #expect(try await shop.alice.json(.get, "/activities/\(id)")["subject"] == "Old")
        }
    }

    @Test func `another tenant's activity cannot be reached`() async throws {
        try await Shop.with { shop in
            let entity = #""business_record_id":"\#(try await company(shop.alice))""#
            let id = try await shop.alice.make("/activities", #"{"type":"note","subject":"Old",\#(entity)}"#)
            let change = #"{"subject":"Mine"}"#
            #expect(try await shop.bob.send(.get, "/activities/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.patch, "/activities/\(id)", change).status == .notFound)
            #expect(try await shop.bob.send(.patch, "/activities/\(id)/complete", change).status == .notFound)
            _ = try await shop.bob.send(.delete, "/activities/\(id)")
            #expect(try await shop.bob.json(.get, "/activities")["total"] == 0)
            #expect(try shop.count("business_record_activities WHERE subject = 'Old' AND completed_date IS NULL") == 1)
            #expect(try await shop.alice.send(.get, "/activities/\(id)/nothing").status == .notFound)
            #expect(try await shop.alice.send(.patch, "/activities/recent", change).status == .methodNotAllowed)
        }
    }
}
