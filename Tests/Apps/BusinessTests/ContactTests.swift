import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct ContactTests {
    struct AppContact: Decodable {
        let id: String
        let contactName: String?
        let firstName: String?
        let lastName: String?
        let email: String?
        let mobilePhone: String?
        let title: String?
        let role: String?
        let companyId: String?
        let companyName: String?
        let addressLine1: String?
        let city: String?
        let postalCode: String?
        let doNotContact: Bool?
        let notes: String?
        let isActive: Bool?
        let createdAt: Date?
        let updatedAt: Date?
    }

    @Test func `a contact has the name and the company that the app knows`() async throws {
        try await Shop.with { shop in
            let company = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body =
                #"{"contact_name":"Ada King Lovelace","email":"a@b.c","company_id":"\#(company)","role":"primary","notes":"n"}"#
            let made: AppContact = try await shop.alice.decode(.post, "/api/contacts", body, is: .created)
            #expect(
                made.contactName == "Ada King Lovelace" && made.firstName == "Ada" && made.lastName == "King Lovelace"
            )
            #expect(made.companyName == "Acme")
            #expect(made.role == "primary")
            #expect(made.notes == "n")
            #expect(made.isActive == true)
            let change =
                #"{"mobile_phone":"7","department":"IT","contact_name":"Ada","address_line1":"1 Road","postal_code":"9"}"#
            let changed: AppContact = try await shop.alice.decode(.patch, "/contacts/\(made.id)", change)
            #expect(changed.contactName == "Ada")
            #expect(changed.firstName == nil)
            #expect(changed.lastName == "Ada")
            #expect(changed.mobilePhone == "7")
            #expect(changed.addressLine1 == "1 Road")
            #expect(changed.postalCode == "9")
            _ = try await shop.alice.make("/contacts", "{}")
            for (query, total) in [
                ("companyId=\(company)", 1), ("company_id=none", 0), ("search=ADA", 1), ("role=primary", 1),
                ("page=2&limit=1", 2),
                ("sortBy=lastName&sortOrder=asc", 2),
            ] {
                let page: AppPage<AppContact> = try await shop.alice.decode(.get, "/contacts?\(query)")
                #expect(page.total == total, "\(query)")
            }
            #expect(try await shop.alice.send(.get, "/contacts?sortBy=password_hash").status == .badRequest)
        }
    }

    @Test func `those who start out reach their own contacts only`() async throws {
        try await Shop.with { shop in
            let manager = try shop.caller("mary", level: 2)
            let hers = try await manager.make("/contacts", #"{"contact_name":"Hers"}"#)
            let own = try await shop.alice.make("/contacts", #"{"contact_name":"Own"}"#)
            #expect(try await shop.alice.json(.get, "/contacts")["total"] == 1)
            #expect(try await manager.json(.get, "/contacts")["total"] == 2)
            #expect(try await manager.json(.get, "/contacts?my=true")["total"] == 1)
            let free = try await manager.make("/contacts", #"{"contact_name":"Nobody's"}"#)
            #expect(try await manager.send(.patch, "/contacts/\(free)", #"{"owner_id":null}"#).status == .ok)
            for (view, total) in [("my", 1), ("unassigned", 1), ("all", 3)] {
                #expect(try await manager.json(.get, "/contacts?view=\(view)")["total"]?.int == total, "\(view)")
            }
            #expect(try await shop.alice.json(.get, "/contacts?view=unassigned")["total"] == 0)
            #expect(try await manager.send(.get, "/contacts?view=theirs").status == .badRequest)
            for method in [SwiftletHTTP.Method.get, .patch, .delete] {
                #expect(try await shop.alice.send(method, "/contacts/\(hers)", #"{"notes":"x"}"#).status == .forbidden)
                #expect(try await shop.bob.send(method, "/contacts/\(own)", #"{"notes":"x"}"#).status != .forbidden)
            }
            #expect(try await shop.alice.send(.patch, "/contacts/\(own)", #"{"owner_id":"mary"}"#).status == .forbidden)
            #expect(try await shop.bob.send(.get, "/contacts/\(own)").status == .notFound)
            // A proposal would tell who it is.
            for (contact, isFree) in [(hers, false), (own, true)] {
                let body = #"{"title":"x","contact_id":"\#(contact)"}"#
                let made = try await shop.alice.send(.post, "/proposals", body)
                #expect(made.status == (isFree ? .created : .badRequest), "\(made.text)")
                #expect(!made.text.contains("Hers"))
            }
            let proposal = try await shop.alice.make("/proposals", #"{"title":"x"}"#)
            let moved = try await shop.alice.send(.patch, "/proposals/\(proposal)", #"{"contact_id":"\#(hers)"}"#)
            #expect(moved.status == .badRequest)
            #expect(try await manager.make("/proposals", #"{"title":"x","contact_id":"\#(own)"}"#) != "")
            #expect(try await shop.bob.send(.patch, "/contacts/\(own)", #"{"notes":"x"}"#).status == .notFound)
            #expect(try shop.count("company_contacts WHERE notes IS NULL") == 3)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/contacts", #"{"contact_name":"Old"}"#)
            let theirs = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            var table = [
                "first_name", "last_name", "email", "phone", "title", "role", "notes", "mobile_phone", "department",
            ]
            .flatMap { BadField.all($0, .text) }
            table += BadField.all("company_id", .foreign(theirs)) + BadField.all("do_not_contact", .flag)
            for value in ["7", "true", "[]", "\"\"", "\" \"", #""a\u0000b""#] {
                table.append(BadField(field: "contact_name", body: #"{"contact_name":\#(value)}"#))
            }
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/contacts", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/contacts/\(id)", bad.body)
            }
            #expect(try shop.count("company_contacts") == 1)
        }
    }
}
