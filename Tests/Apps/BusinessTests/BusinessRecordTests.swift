import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct BusinessRecordTests {
    struct AppRecord: Decodable {
        enum Kind: String, Decodable { case lead, prospect, customer, formerCustomer = "former_customer" }

        let id: String
        let recordType: Kind
        let tenantId: String?
        let status: String?
        let companyName: String?
        let employeeCount: Int?
        let annualRevenue: Double?
        let isActive: Bool?
        let primaryContactName: String?
        let billingAddressLine1: String?
        let billingPostalCode: String?
        let estimatedAmount: Double?
        let probability: Int?
        let closeDate: Date?
        let leadScore: Int?
        let customerSince: Date?
        let creditLimit: Double?
        let taxExempt: Bool?
        let nextFollowUpDate: Date?
        let createdBy: String?
        let createdAt: Date?
        let updatedAt: Date?
    }

    struct AppActivity: Decodable {
        let id: String
        let leadId: String?
        let type: String?
        let subject: String?
        let description: String?
        let activityDate: Date?
        let createdBy: String?
        let createdAt: Date?
    }

    /// As the app sends it, to customers too.
    private static let new = """
        {"company_name":"Acme","record_type":"lead","primary_contact_name":"Ada","phone":"1","website":"acme.example",\
        "industry":"Print","source":"referral","interest_level":"hot","estimated_amount":1200.5,"notes":"n",\
        "address_line1":"1 Road","city":"Town","state":"NY","postal_code":"1","billing_address_line1":"2 Road",\
        "billing_postal_code":"12345"}
        """

    @Test func `what is created under customers is a customer and shows there`() async throws {
        try await Shop.with { shop in
            let made: AppRecord = try await shop.alice.decode(.post, "/api/customers", Self.new, is: .created)
            #expect(made.recordType == .customer)
            #expect(made.status == "active")
            #expect(made.customerSince != nil)
            #expect(made.estimatedAmount == 1200.5)
            #expect(made.billingPostalCode == "12345")
            #expect(made.billingAddressLine1 == "2 Road")
            #expect(made.createdBy == "alice")
            let lead: AppRecord = try await shop.alice.decode(.post, "/leads", Self.new, is: .created)
            #expect(lead.recordType == .lead)
            #expect(lead.status == "new")
            #expect(lead.customerSince == nil)
            for (path, total) in [
                ("customers", 1), ("leads", 1), ("business-records", 2), ("business-records?recordType=lead", 1),
                ("customers?search=ACM", 1), ("customers?search=%25", 0), ("leads?status=new", 1),
                ("customers?status=new", 0),
            ] {
                let page: AppPage<AppRecord> = try await shop.alice.decode(.get, "/\(path)")
                #expect(page.total == total, "\(path)")
                #expect(page.data.count == total, "\(path)")
            }
            let row = try await shop.alice.json(.get, "/customers/\(made.id)")
            #expect(row["estimated_deal_value"] == row["estimated_amount"])
            #expect(row["estimated_amount"] != nil)
        }
    }

    @Test func `an update reads both spellings and leaves the server's fields alone`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/leads", Self.new)
            let body = """
                {"status":"contacted","probability":70,"sales_stage":"qualified","priority":"high","customer_rating":"A",\
                "next_follow_up_date":"2026-05-04T10:00:00Z","estimatedAmount":3,"tenant_id":"tenant-b","created_by":"x"}
                """
            let row: AppRecord = try await shop.alice.decode(.put, "/leads/\(id)", body)
            #expect(row.status == "contacted")
            #expect(row.probability == 70)
            #expect(row.estimatedAmount == 3)
            #expect(row.nextFollowUpDate != nil)
            #expect(row.tenantId == "tenant-a")
            #expect(row.createdBy == "alice")
        }
    }

    @Test func `a customer is found by number, and a lead's page outlives its conversion`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/customers", #"{"company_name":"A","customer_number":"C-7"}"#)
            #expect(try await shop.alice.json(.get, "/customers/C-7")["id"]?.string == id)
            #expect(try await shop.bob.send(.get, "/customers/C-7").status == .notFound)
            #expect(
                try await shop.bob.send(.post, "/customers", #"{"company_name":"B","customer_number":"C-7"}"#).status
                    == .created
            )
            #expect(try await shop.alice.send(.get, "/leads/\(id)").status == .ok)
            #expect(try await shop.alice.send(.delete, "/customers/\(id)").status == .ok)
            #expect(try await shop.alice.send(.delete, "/customers/\(id)").status == .ok)
            #expect(try await shop.alice.send(.get, "/customers/\(id)").status == .notFound)
        }
    }

    @Test func `two who convert a lead at once make one customer`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/leads", Self.new)
            async let first: AppRecord = shop.alice.decode(.post, "/leads/\(id)/convert")
            async let second: AppRecord = shop.alice.decode(.post, "/leads/\(id)/convert")
            let (one, other) = (try await first, try await second)
            #expect(one.recordType == .customer)
            #expect(other.recordType == .customer)
            #expect(one.status == "active")
            #expect(one.customerSince != nil)
            #expect(one.customerSince == other.customerSince)
            let later: AppRecord = try await shop.alice.decode(.post, "/leads/\(id)/convert", "{}")
            #expect(later.customerSince == one.customerSince)
            #expect(try shop.count("business_record_activities WHERE activity_type = 'lead_converted'") == 1)
            #expect(try shop.count("business_records WHERE converted_by = 'alice'") == 1)
            #expect(try await shop.bob.send(.post, "/leads/\(id)/convert").status == .notFound)
        }
    }

    @Test func `a conversion whose activity cannot be stored does not happen`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/leads", Self.new)
            try shop.server.execute(
                "ALTER TABLE business_record_activities ADD CHECK (activity_type <> 'lead_converted')"
            )
            #expect(try await shop.alice.send(.post, "/leads/\(id)/convert").status == .unprocessableContent)
            #expect(try await shop.alice.json(.get, "/leads/\(id)")["record_type"] == "lead")
        }
    }

    @Test func `activities are logged for any company`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/customers", Self.new)
            let body = """
                {"type":"call","subject":"Hello","description":"d","activity_date":"2026-05-04T10:00:00Z",\
                "outcome":"left message","latitude":40.5,"longitude":-73,"horizontal_accuracy_meters":12.5}
                """
            let made: AppActivity = try await shop.alice.decode(.post, "/leads/\(id)/activities", body, is: .created)
            #expect(made.leadId == id)
            #expect(made.type == "call")
            #expect(made.activityDate != nil)
            #expect(made.createdBy == "alice")
            let list: AppPage<AppActivity> = try await shop.alice.decode(.get, "/leads/\(id)/activities")
            #expect(list.total == 1)
            for (bad, code) in [
                (#"{"subject":"x"}"#, "ACTIVITY_TYPE_REQUIRED"),
                (#"{"type":" ","subject":"x"}"#, "ACTIVITY_TYPE_REQUIRED"),
                (#"{"type":"call"}"#, "ACTIVITY_SUBJECT_REQUIRED"),
                (#"{"type":"call","subject":""}"#, "ACTIVITY_SUBJECT_REQUIRED"),
            ] {
                let response = try await shop.alice.send(.post, "/leads/\(id)/activities", bad)
                #expect(response.status == .badRequest)
                #expect(try JSONParser.parse(response.body)["code"]?.string == code, "\(bad)")
            }
            #expect(try await shop.bob.send(.post, "/leads/\(id)/activities", body).status == .notFound)
            #expect(try await shop.bob.send(.get, "/leads/\(id)/activities").status == .notFound)
            #expect(try await shop.alice.json(.get, "/activities")["total"] == 1)
        }
    }

    static let badFields: [BadField] =
        [
            "primary_contact_name", "primary_contact_email", "phone", "website", "industry", "interest_level", "notes",
            "address_line1", "city", "state", "postal_code", "sales_stage", "priority", "customer_rating",
        ]
        .flatMap { BadField.all($0, .text, with: #""company_name":"x""#) }
        + BadField.all("company_name", .requiredText)
        + BadField.all("record_type", .word, with: #""company_name":"x""#).filter { !$0.body.contains("null") }
        + BadField.all("estimated_amount", .number, with: #""company_name":"x""#)
        + BadField.all("probability", .integer, with: #""company_name":"x""#)
        + BadField.all("is_active", .flag, with: #""company_name":"x""#)
        + BadField.all("next_follow_up_date", .date, with: #""company_name":"x""#)
        + [BadField(field: "company_name", body: "{}")]

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/leads", #"{"company_name":"Old"}"#)
            let theirs = try await shop.bob.make("/leads", #"{"company_name":"Theirs"}"#)
            for bad in Self.badFields
                + BadField.all("parent_account_id", .foreign(theirs), with: #""company_name":"x""#)
            {
                for path in ["/customers", "/leads"] {
                    try await shop.alice.expectRefusal(of: bad.field, .post, path, bad.body)
                }
                if bad.body != "{}" {
                    try await shop.alice.expectRefusal(of: bad.field, .put, "/leads/\(id)", bad.body)
                }
            }
            #expect(try shop.count("business_records") == 2)
            #expect(try shop.count("business_records WHERE company_name = 'Old'") == 1)
        }
    }

    @Test(arguments: ["customers", "leads", "business-records"])
    func `another tenant's company cannot be reached`(function: String) async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/leads", Self.new)
            #expect(try await shop.bob.send(.get, "/\(function)/\(id)").status == .notFound)
            #expect(
                try await shop.bob.send(.put, "/\(function)/\(id)", #"{"company_name":"Mine"}"#).status == .notFound
            )
            #expect(try await shop.bob.send(.get, "/\(function)/\(id)/nothing").status == .notFound)
            _ = try await shop.bob.send(.delete, "/\(function)/\(id)")
            #expect(try await shop.alice.json(.get, "/\(function)/\(id)")["company_name"] == "Acme")
        }
    }

    @Test func `a drifted table answers with what it has`() async throws {
        try await Shop.with { shop in
            try shop.server.execute(
                """
                DROP TABLE deals, company_contacts, business_record_activities, business_records CASCADE;
                CREATE TABLE companies (id varchar PRIMARY KEY, tenant_id varchar NOT NULL, business_name varchar NOT NULL);
                CREATE TABLE business_records (
                    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id varchar NOT NULL, company_name varchar NOT NULL,
                    record_type varchar, created_by varchar NOT NULL
                );
                INSERT INTO business_records (tenant_id, company_name, record_type, created_by)
                VALUES ('tenant-a', 'Old', 'Customer', 'x'), ('tenant-a', 'Odd', 'activity', 'x'),
                       ('tenant-a', 'None', NULL, 'x');
                """
            )
            try await shop.server.database.reloadSchema()
            let all: AppPage<AppRecord> = try await shop.alice.decode(.get, "/business-records")
            #expect(all.total == 3)
            let customers: AppPage<AppRecord> = try await shop.alice.decode(.get, "/customers?search=o")
            #expect(customers.total == 1)
            #expect(customers.data.first?.companyName == "Old")
            let response = try await shop.alice.send(.post, "/leads", Self.new)
            #expect(response.status == .created)
            #expect(response.headers[.xIgnoredFields]?.contains("estimated_amount") == true)
            let id = try JSONParser.parse(response.body)["id"]?.string ?? ""
            #expect(try await shop.alice.send(.get, "/leads/none").status == .notFound)
            #expect(try await shop.alice.send(.get, "/customers/none").status == .notFound)
            #expect(try await shop.alice.json(.get, "/activities")["total"] == 0)
            #expect(try await shop.alice.json(.get, "/contacts")["total"] == 0)
            #expect(try await shop.alice.send(.post, "/leads/\(id)/convert").status == .notFound)
        }
    }
}
