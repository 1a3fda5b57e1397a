import Foundation
import SwiftletTesting
import Testing

/// Plays the app: the calls of its screens in their order, each answer decoded as strictly as the app does.
@Suite(.needsDatabase, .hangLimit)
struct AppPlayerTests {
    private typealias Record = BusinessRecordTests.AppRecord
    private typealias Ticket = ServiceTicketTests.AppTicket
    private typealias Proposal = ProposalTests.AppProposal

    @Test func `a day of a field representative`() async throws {
        try await AppSession.with { app, shop in
            let _: OverviewTests.AppDashboard = try await app.call("GET", "/today-dashboard")
            let tasks: [AppTask] = try await app.list("/tasks", "my=true")
            #expect(tasks.isEmpty)
            let task: AppTask = try await app.call("POST", "/tasks", #"{"title":"Call"}"#, is: 201)
            let _: AppTask = try await app.call("PATCH", "/tasks/\(task.id)", #"{"status":"completed"}"#)
            let _: AppTaskComment = try await app.call(
                "POST",
                "/tasks/\(task.id)/comments",
                #"{"content":"c"}"#,
                is: 201
            )
            let _: AppTaskStats = try await app.call("GET", "/tasks/stats?my=true")
            let _: [AppNotification] = try await app.list("/notifications")
            try await app.send("PATCH", "/notifications/read-all")

            let lead: Record = try await app.call(
                "POST",
                "/leads",
                #"{"company_name":"Acme","record_type":"lead"}"#,
                is: 201
            )
            let visit = #"{"type":"visit","subject":"On site","latitude":53.5,"longitude":10.0}"#
            let _: BusinessRecordTests.AppActivity = try await app.call(
                "POST",
                "/leads/\(lead.id)/activities",
                visit,
                is: 201
            )
            let _: [BusinessRecordTests.AppActivity] = try await app.list("/leads/\(lead.id)/activities")
            let customer: Record = try await app.call("POST", "/leads/\(lead.id)/convert")
            let customers: [Record] = try await app.list("/customers", "search=acm")
            #expect(customers.map(\.id) == [customer.id])
            let _: Record = try await app.call("PUT", "/customers/\(customer.id)", #"{"city":"Hamburg"}"#)
            let contact = #"{"contact_name":"Ada Lovelace","company_id":"\#(customer.id)"}"#
            let _: ContactTests.AppContact = try await app.call("POST", "/contacts", contact, is: 201)
            let contacts: [ContactTests.AppContact] = try await app.list("/contacts", "companyId=\(customer.id)")
            #expect(contacts.count == 1)

            let deal: OpportunityTests.AppOpportunity = try await app.call(
                "POST",
                "/opportunities",
                #"{"company_name":"Acme","estimated_amount":1200.5}"#,
                is: 201
            )
            let won: OpportunityTests.AppOpportunity = try await app.call(
                "PATCH",
                "/opportunities/\(deal.id)/stage",
                #"{"stage":"closed_won"}"#
            )
            #expect(won.probability == 100)
            let line = #"[{"description":"A3","quantity":2,"unit_price":10.5}]"#
            let quote: QuoteTests.AppQuote = try await app.call(
                "POST",
                "/quotes",
                #"{"title":"Q","customer_id":"\#(customer.id)","line_items":\#(line)}"#,
                is: 201
            )
            #expect(quote.totalAmount == 21)
            let proposal: Proposal = try await app.call(
                "POST",
                "/proposals",
                #"{"title":"P","customer_id":"\#(customer.id)","total_amount":360}"#,
                is: 201
            )
            try await app.send("POST", "/proposals/\(proposal.id)/send")
            let accepted: Proposal = try await app.call(
                "PATCH",
                "/proposals/\(proposal.id)/status",
                #"{"status":"accepted"}"#
            )
            #expect(accepted.status == .accepted)
            #expect(try await app.send("GET", "/proposals/\(proposal.id)/pdf").starts(with: Data("%PDF-".utf8)))
            let proposals: [Proposal] = try await app.list("/proposals", "customerId=\(customer.id)")
            #expect(proposals.count == 1)
        }
    }

    @Test func `a day of a technician, and of who bills for it`() async throws {
        try await AppSession.with { app, shop in
            let customer: Record = try await app.call("POST", "/customers", #"{"company_name":"Acme"}"#, is: 201)
            let machine: EquipmentTests.AppEquipment = try await app.call(
                "POST",
                "/equipment",
                #"{"name":"Copier","model":"C300","serial_number":"S1","customer_id":"\#(customer.id)"}"#,
                is: 201
            )
            let _: EquipmentTests.AppEquipment = try await app.call("GET", "/equipment/\(machine.id)")
            let machines: [EquipmentTests.AppEquipment] = try await app.list("/equipment", "customerId=\(customer.id)")
            #expect(machines.count == 1)
            let _: [EquipmentTests.AppReading] = try await app.list("/meter-readings", "equipmentId=\(machine.id)")
            let body = """
                {"title":"Jam","priority":"medium","category":"hardware","customer_id":"\(customer.id)",\
                "equipment_id":"\(machine.id)"}
                """
            let ticket: Ticket = try await app.call("POST", "/service-tickets", body, is: 201)
            for priority in ["high", "urgent", "critical"] {
                let _: Ticket = try await app.call(
                    "PATCH",
                    "/service-tickets/\(ticket.id)",
                    #"{"priority":"\#(priority)"}"#
                )
            }
            let note = #"{"type":"note","content":"On my way"}"#
            let _: ServiceTicketTests.AppUpdate = try await app.call(
                "POST",
                "/service-tickets/\(ticket.id)/updates",
                note,
                is: 201
            )
            try await app.send(
                "POST",
                "/service-tickets/\(ticket.id)/attachments?filename=a.png",
                "picture",
                type: "image/png",
                is: 201
            )
            let closed: Ticket = try await app.call(
                "PATCH",
                "/service-tickets/\(ticket.id)",
                #"{"status":"resolved","resolution":"Cleaned"}"#
            )
            #expect(closed.status == "resolved")
            #expect(closed.resolution == "Cleaned")
            let updates: [ServiceTicketTests.AppUpdate] = try await app.list("/service-tickets/\(ticket.id)/updates")
            #expect(updates.count == 6)
            let tickets: [Ticket] = try await app.list("/service-tickets", "status=resolved&search=jam")
            #expect(tickets.count == 1)

            let contract: ContractTests.AppContract = try await app.call(
                "POST",
                "/contracts",
                #"{"title":"Service","customer_id":"\#(customer.id)","monthly_amount":99.5}"#,
                is: 201
            )
            let _: [ContractTests.AppContract] = try await app.list("/contracts", "customerId=\(customer.id)")
            let upcoming: AppPage<ContractTests.AppRenewal> = try await app.call(
                "GET",
                "/contract-renewal/upcoming?days=366"
            )
            #expect(upcoming.data.map(\.id) == [contract.id])
            try await app.send("POST", "/contract-renewal/\(contract.id)/renew", is: 201)
            let invoice: InvoiceTests.AppInvoice = try await app.call(
                "POST",
                "/invoices",
                #"{"customer_id":"\#(customer.id)","due_date":"2999-01-01T00:00:00Z","payment_terms":"Net 30"}"#,
                is: 201
            )
            let paid: InvoiceTests.AppInvoice = try await app.call(
                "PATCH",
                "/invoices/\(invoice.id)",
                #"{"status":"paid"}"#
            )
            #expect(paid.status == "paid")
            #expect(paid.invoiceStatus == "paid")
            let _: [InvoiceTests.AppInvoice] = try await app.list("/invoices", "status=paid")
            let found: OverviewTests.AppResults = try await app.call("GET", "/search?q=acme")
            #expect(found.total >= 1)
            let _: [ActivityTests.AppActivity] = try await app.list("/activities")
            for report in ["activities?days=7", "leaderboard?period=month", "no-touch?days=3"] {
                let _: AppPage<OverviewTests.AppReportRow> = try await app.call("GET", "/team-reports/\(report)")
            }
        }
    }
}
