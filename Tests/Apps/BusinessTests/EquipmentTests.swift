import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct EquipmentTests {
    struct AppEquipment: Decodable {
        let id: String
        let name: String?
        let manufacturer: String?
        let model: String?
        let serialNumber: String?
        let type: String?
        let status: String?
        let customerName: String?
        let locationName: String?
        let installDate: Date?
        let warrantyEndDate: Date?
        let leaseEndDate: Date?
        let currentMeterBlack: Int?
        let contractNumber: String?
        let underContract: Bool?
        let nextServiceDate: Date?
        let createdAt: Date?
    }

    struct AppReading: Decodable {
        let id: String
        let equipmentId: String?
        let meterBlack: Int?
        let meterColor: Int?
        let meterTotal: Int?
        let readingDate: Date?
        let source: String?
        let createdAt: Date?
    }

    @Test func `the app reads and writes machines by its own names`() async throws {
        try await Shop.with { shop in
            let customer = try await shop.alice.make("/customers", #"{"company_name":"Acme"}"#)
            let body = """
                {"name":"Copier","manufacturer":"Ricoh","model":"C300","serial_number":"S1","customer_id":"\(customer)",\
                "type":"color","install_date":"2024-03-01T00:00:00Z","notes":"n"}
                """
            let made: AppEquipment = try await shop.alice.decode(.post, "/equipment", body, is: .created)
            #expect(made.name == "Copier")
            #expect(made.model == "C300")
            #expect(made.type == "color")
            #expect(made.status == "active")
            #expect(made.customerName == "Acme")
            #expect(made.underContract == false)
            #expect(made.installDate != nil)
            let change = #"{"status":"retired","ip_address":"10.0.0.1","name":"Old","location_name":"Cellar"}"#
            let changed: AppEquipment = try await shop.alice.decode(.patch, "/equipment/\(made.id)", change)
            #expect(changed.status == "retired")
            #expect(changed.name == "Old")
            #expect(changed.locationName == "Cellar")
            let row = try await shop.alice.json(.get, "/equipment/\(made.id)")
            #expect(row["equipment_status"] == "retired")
            #expect(row["description"] == "Old")
            #expect(row["serviceHistory"] == [])
            for (query, total) in [
                ("customerId=\(customer)", 1), ("status=retired", 1), ("status=active", 0), ("search=c300", 1),
            ] {
                let page: AppPage<AppEquipment> = try await shop.alice.decode(.get, "/equipment?\(query)")
                #expect(page.total == total, "\(query)")
            }
            #expect(try await shop.alice.send(.post, "/equipment", #"{"serial_number":"S1"}"#).status == .conflict)
            #expect(try await shop.bob.send(.post, "/equipment", #"{"serial_number":"S1"}"#).status == .created)
        }
    }

    @Test func `meters are summed, also where one of them is missing`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/equipment", #"{"name":"m"}"#)
            for (black, color) in [("2147483647", "2147483647"), ("5", "null"), ("null", "null")] {
                let body = #"{"equipment_id":"\#(id)","meter_black":\#(black),"meter_color":\#(color)}"#
                _ = try await shop.alice.make("/meter-readings", body)
            }
            let page: AppPage<AppReading> = try await shop.alice.decode(.get, "/meter-readings?equipmentId=\(id)")
            #expect(page.total == 3)
            #expect(page.data.allSatisfy { $0.readingDate != nil && $0.source == "manual" })
            #expect(Set(page.data.map(\.meterTotal)) == [4_294_967_294, 5, nil])
            #expect(try await shop.bob.json(.get, "/meter-readings?equipmentId=\(id)")["total"] == 0)
            #expect(try await shop.alice.json(.get, "/meter-readings?page=2&limit=2")["data"]?.array?.count == 1)
        }
    }

    @Test func `a bad field is refused by name, and nothing is stored`() async throws {
        try await Shop.with { shop in
            let id = try await shop.alice.make("/equipment", #"{"name":"m"}"#)
            let theirCustomer = try await shop.bob.make("/customers", #"{"company_name":"Theirs"}"#)
            let theirs = try await shop.bob.make("/equipment", #"{"name":"m"}"#)
            let theirContract = try await shop.bob.make("/contracts", #"{"title":"t"}"#)
            var table = [
                "name", "manufacturer", "model", "serial_number", "type", "status", "ip_address", "notes",
                "location_id", "location_name", "asset_tag", "floor", "department", "mac_address", "contract_number",
            ]
            .flatMap { BadField.all($0, .text) }
            table += [
                "install_date", "warranty_end_date", "lease_end_date", "last_service_date", "next_service_date",
            ]
            .flatMap { BadField.all($0, .date) }
            table += ["current_meter_black", "monthly_volume_color"].flatMap { BadField.all($0, .integer) }
            table += BadField.all("customer_id", .foreign(theirCustomer))
            table += BadField.all("contract_id", .foreign(theirContract))
            for bad in table {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/equipment", bad.body)
                try await shop.alice.expectRefusal(of: bad.field, .patch, "/equipment/\(id)", bad.body)
            }
            let rest = #""equipment_id":"\#(id)""#
            var readings = ["meter_black", "meter_color"].flatMap { BadField.all($0, .integer, with: rest) }
            readings += BadField.all("equipment_id", .foreign(theirs)) + BadField.all("reading_date", .date, with: rest)
            for bad in readings {
                try await shop.alice.expectRefusal(of: bad.field, .post, "/meter-readings", bad.body)
            }
            #expect(try shop.count("equipment") == 2)
            #expect(try shop.count("meter_readings") == 0)
            #expect(try await shop.bob.send(.get, "/equipment/\(id)").status == .notFound)
            #expect(try await shop.bob.send(.patch, "/equipment/\(id)", #"{"name":"x"}"#).status == .notFound)
            _ = try await shop.bob.send(.delete, "/equipment/\(id)")
            #expect(try shop.count("equipment") == 2)
            for path in ["/equipment/\(id)/nothing", "/meter-readings/none", "/meter-readings/none/x"] {
                #expect(try await shop.alice.send(.get, path).status == .notFound, "\(path)")
            }
        }
    }
}
