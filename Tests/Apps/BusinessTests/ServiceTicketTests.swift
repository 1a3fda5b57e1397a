import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ServiceTicketTests {
    struct AppTicket: Decodable {
        let id: String
        let ticketNumber: String?
        let title: String?
        let status: String?
        let priority: String?
        let category: String?
        let customerId: String?
        let customerName: String?
        let equipmentName: String?
        let serialNumber: String?
        let modelNumber: String?
        let assignedTechnicianId: String?
        let assignedTechnicianName: String?
        let scheduledDate: Date?
        let scheduledTime: String?
        let estimatedDuration: Int?
        let resolution: String?
        let resolvedAt: Date?
        let closedAt: Date?
        let createdAt: Date?
    }

    struct AppUpdate: Decodable {
        let id: String
        let ticketId: String?
        let type: String?
        let content: String?
        let oldValue: String?
        let newValue: String?
        let userId: String?
        let userName: String?
        let createdAt: Date?
    }

    private func machine(_ shop: Shop) async throws -> (customer: String, equipment: String) {
        let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
        let machine = #"{"manufacturer":"Ricoh","model":"C300","serial_number":"S1","customer_id":"\#(customer)"}"#
        return (customer, try await shop.alice.make("/equipment", machine))
    }

    @Test func `a ticket is opened with the names around it, and closed in the app's own words`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                "INSERT INTO users (id, tenant_id, email, first_name, last_name) VALUES ('tech', 'tenant-a', 't@a', 'T', 'Ech')"
            )
            let (customer, equipment) = try await machine(shop)
            let body = """
                {"title":"Jam","description":"d","priority":"medium","category":"hardware","customer_id":"\(customer)",\
                "equipment_id":"\(equipment)","scheduled_date":"2026-05-04T10:00:00Z","assigned_technician_id":"tech"}
                """
            let made: AppTicket = try await shop.alice.decode(.post, "/api/service-tickets", body, is: .created)
            #expect(made.customerName == "Acme")
            #expect(made.equipmentName == "Ricoh C300")
            #expect(made.serialNumber == "S1")
            #expect(made.modelNumber == "C300")
            #expect(made.assignedTechnicianName == "T Ech")
            #expect(made.status == "open")
            #expect(made.ticketNumber?.hasPrefix("TKT-") == true)
            #expect(made.category == "hardware")
            let done = #"{"status":"resolved","resolution":"Cleaned"}"#
            let closed: AppTicket = try await shop.alice.decode(.patch, "/service-tickets/\(made.id)", done)
            #expect(closed.status == "resolved")
            #expect(closed.resolution == "Cleaned")
            #expect(closed.resolvedAt != nil)
            let row = try await shop.alice.json(.get, "/service-tickets/\(made.id)")
            #expect(row["resolution_notes"] == row["resolution"])
            #expect(row["site_address"] == row["customer_address"])
            let waiting = #"{"status":"waiting_parts","assigned_technician_id":null}"#
            let again: AppTicket = try await shop.alice.decode(.patch, "/service-tickets/\(made.id)", waiting)
            #expect(again.status == "waiting_parts")
            #expect(again.resolvedAt == nil)
            #expect(again.assignedTechnicianId == nil)
            let lines = try await shop.alice.json(.get, "/service-tickets/\(made.id)/updates")["data"]?.array ?? []
            #expect(lines.map { $0["type"] } == ["assignment", "status_change", "status_change", "status_change"])
            #expect(lines.map { $0["old_value"] } == ["tech", "resolved", "open", .null])
            #expect(lines.map { $0["new_value"] } == [.null, "waiting_parts", "resolved", "open"])
            #expect(lines[2]["content"] == "Cleaned")
            #expect(lines.allSatisfy { $0["user_id"] == "alice" })
            #expect(try await shop.alice.json(.get, "/equipment/\(equipment)")["serviceHistory"]?[0]?["title"] == "Jam")
        }
    }

    @Test func `lists are filtered by what the app sends`() async throws {
        try await Shop.with { shop in
            for number in 1...3 {
                let more =
                    number == 1 ? #","assigned_technician_id":"alice""# : #","status":"on_hold","priority":"high""#
                _ = try await shop.alice.make("/service-tickets", #"{"title":"Broken part \#(number)"\#(more)}"#)
            }
            for (query, total) in [
                ("", 3), ("status=open", 1), ("status=open,on_hold", 3), ("priority=high", 2), ("assignedTo=alice", 1),
                ("technicianId=alice", 1), ("my=true", 1), ("view=unassigned", 2), ("search=part%202", 1),
                ("search=TKT-", 3),
                ("page=2&limit=2", 3),
            ] {
                let page: AppPage<AppTicket> = try await shop.alice.decode(.get, "/service-tickets?\(query)")
                #expect(page.total == total, "\(query)")
                if query.hasPrefix("page") { #expect(page.data.count == 1) }
            }
        }
    }

    @Test func `notes are kept under both spellings`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"t"}"#)
            let path = "/service-tickets/\(id)/updates"
            for body in [
                #"{"type":"note","content":"c"}"#, #"{"updateType":"note","notes":"c"}"#,
                #"{"update_type":"note","notes":"c"}"#,
            ] {
                let made: AppUpdate = try await shop.alice.decode(.post, path, body, is: .created)
                #expect(made.type == "note")
                #expect(made.content == "c")
                #expect(made.userId == "alice")
                #expect(made.ticketId == id)
            }
            let page: AppPage<AppUpdate> = try await shop.alice.decode(.get, path)
            #expect(page.total == 4)
            #expect(page.data.last?.content == "Created")
            #expect(page.data[0].createdAt != nil)
            #expect(try await shop.alice.json(.get, path)["data"]?[0]?["update_type"] == "note")
        }
    }

    @Test func `of many who change the status at once, each goes on from the one before`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"t"}"#)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let body = #"{"status":"s\#(number)","priority":"p\#(number)"}"#
                        let response = try await shop.alice.send(.patch, "/service-tickets/\(id)", body)
                        #expect(response.status == .ok)
                    }
                }
                try await group.waitForAll()
            }
            let rows = try BlockingConnection.connect(to: shop.server.databaseURL).query(
                """
                SELECT update_type, old_value, new_value FROM service_ticket_updates
                WHERE notes IS NULL ORDER BY created_at, id
                """
            )
            let ticket = try await shop.alice.json(.get, "/service-tickets/\(id)")
            for (type, first, key) in [("status_change", "open", "status"), ("escalation", "medium", "priority")] {
                let next = Dictionary(
                    uniqueKeysWithValues: rows.filter { $0[0] == type }.map { ($0[1] ?? "", $0[2] ?? "") }
                )
                var word = first
                for _ in next { word = next[word] ?? "?" }
                #expect(next.count == 8)
                #expect(.string(word) == ticket[key])
            }
        }
    }

    @Test func `the tickets in numbers`() async throws {
        try await Shop.with { shop in
            let none = try await shop.alice.json(.get, "/service-tickets/stats")
            #expect(none["total"] == 0)
            #expect(none["by_status"] == [:])
            _ = try await shop.alice.make("/service-tickets", #"{"title":"a","assigned_technician_id":"tech"}"#)
            _ = try await shop.alice.make("/service-tickets", #"{"title":"b","scheduled_date":"2020-01-01"}"#)
            _ = try await shop.alice.make("/service-tickets", #"{"title":"c","status":"closed","priority":"high"}"#)
            let all = try await shop.alice.json(.get, "/service-tickets/stats")
            #expect(all["total"] == 3)
            #expect(all["open"] == 2)
            #expect(all["unassigned"] == 1)
            #expect(all["overdue"] == 1)
            #expect(all["by_status"] == ["closed": 1, "open": 2])
            #expect(all["by_priority"] == ["high": 1, "medium": 2])
            let load = try await shop.alice.json(.get, "/service-tickets/dispatch-load")
            #expect(load["total"] == 1)
            #expect(load["data"]?[0]?["technician_id"] == "tech")
            #expect(load["data"]?[0]?["open_tickets"] == 1)
            let words = try await shop.alice.json(.get, "/service-tickets/vocabulary")
            #expect(words["statuses"]?.array?.contains("waiting_parts") == true)
            #expect(try await shop.bob.json(.get, "/service-tickets/stats")["total"] == 0)
            #expect(try await shop.bob.json(.get, "/service-tickets/dispatch-load")["total"] == 0)
            let id = try await shop.alice.make("/service-tickets", #"{"title":"a"}"#)
            for path in [
                "/service-tickets/\(id)/nothing", "/service-tickets/stats/1", "/service-tickets/\(id)/updates/1",
            ] {
                #expect(try await shop.alice.send(.get, path).status == .notFound)
            }
            try shop.server.execute("ALTER TABLE service_tickets DROP COLUMN scheduled_date, DROP COLUMN priority")
            try await shop.server.database.reloadSchema()
            #expect(try await shop.alice.json(.get, "/service-tickets/stats")["open"] == 3)
            #expect(try await shop.alice.json(.get, "/service-tickets/dispatch-load")["total"] == 1)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"t"}"#)
            let theirCustomer = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let theirMachine = try await shop.bob.make("/equipment", #"{"name":"m"}"#)
            let rest = #""title":"t""#
            var table = BadField.all("title", .requiredText) + BadField.all("scheduled_date", .date, with: rest)
            for field in [
                "description", "status", "priority", "category", "assigned_technician_id", "resolution",
                "scheduled_time", "site_address",
            ] {
                table += BadField.all(field, .text, with: rest)
            }
            table += ["estimated_duration", "actual_duration", "response_time"]
                .flatMap { BadField.all($0, .integer, with: rest) }
            table += BadField.all("sla_deadline", .date, with: rest) + BadField.all("labor_hours", .number, with: rest)
            table += BadField.all("customer_id", .foreign(theirCustomer), with: rest)
            table += BadField.all("equipment_id", .foreign(theirMachine), with: rest)
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/service-tickets", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/service-tickets/\(id)", bad.body)
            }
            for field in ["status", "priority"] {
                try await shop.alice.expectRefusal(of: field, .patch, "/service-tickets/\(id)", #"{"\#(field)":null}"#)
            }
            let content = #""content":"c""#
            for bad in BadField.all("type", .text, with: content) + BadField.all("content", .requiredText) {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/service-tickets/\(id)/updates", bad.body)
            }
            for body in ["{}", #"{"type":"note"}"#, #"{"type":"note","content":null}"#, #"{"notes":" "}"#] {
                let refused = try await shop.alice.send(.post, "/service-tickets/\(id)/updates", body)
                #expect(refused.status == .badRequest, "\(body)")
            }
            #expect(try shop.count("service_tickets") == 1)
            #expect(try shop.count("service_ticket_updates") == 1)
        }
    }

    @Test func `another tenant's ticket cannot be reached`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/service-tickets", #"{"title":"t"}"#)
            for path in ["/service-tickets/\(id)", "/service-tickets/\(id)/updates"] {
                #expect(try await shop.bob.send(.get, path).status == .notFound)
            }
            #expect(try await shop.bob.send(.patch, "/service-tickets/\(id)", #"{"title":"x"}"#).status == .notFound)
            #expect(
                try await shop.bob.send(.post, "/service-tickets/\(id)/updates", #"{"content":"c"}"#).status
                    == .notFound
            )
            _ = try await shop.bob.send(.delete, "/service-tickets/\(id)")
            #expect(try shop.count("service_tickets WHERE title = 't'") == 1)
            #expect(try shop.count("service_ticket_updates") == 1)
            for word in ["stats", "vocabulary", "dispatch-load"] {
                #expect(try await shop.alice.send(.delete, "/service-tickets/\(word)").status == .methodNotAllowed)
                let change = try await shop.alice.send(.patch, "/service-tickets/\(word)", #"{"title":"x"}"#)
                #expect(change.status == .methodNotAllowed)
            }
            #expect(try await shop.alice.send(.delete, "/service-tickets/\(id)").status == .ok)
            #expect(try shop.count("service_ticket_updates") == 0)
        }
    }
}
