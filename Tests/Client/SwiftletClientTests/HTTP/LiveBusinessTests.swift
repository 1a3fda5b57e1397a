import Foundation
import BusinessClient
import CheckInsClient
import DeviceLogsClient
import GalleryClient
import SwiftletClient
import SwiftletTesting
import Testing

/// Every service against the real functions, over HTTP: each endpoint once.
@Suite(.needsDatabase, .hangLimit)
struct LiveBusinessTests {
    @Test func `tasks`() async throws {
        try await LiveServer.with { server in
            let service = TaskService(try await server.signedIn())
            let due = Date(timeIntervalSince1970: 1_900_000_000.75)
            let new = NewTask(title: "Call ☎ back", assignedTo: LiveServer.userID, dueDate: due, tags: ["a", "b"])
            var task = try await service.createTask(new)
            #expect(task.status == .todo)
            #expect(task.priority == .medium)
            #expect(task.tags == ["a", "b"])
            #expect(task.dueDate == Date(timeIntervalSince1970: 1_900_000_000), "whole seconds")
            #expect(abs(try #require(task.createdAt).timeIntervalSinceNow) < 300)
            task = try await service.updateTask(task.id, .init(status: .inProgress, estimatedHours: 3))
            #expect(task.status == .inProgress)
            #expect(task.estimatedHours == 3)
            #expect(task.title == "Call ☎ back")
            task = try await service.updateTask(task.id, .init(), clearing: ["assigned_to", "dueDate"])
            #expect(task.assignedTo == nil)
            #expect(task.dueDate == nil)
            #expect(task.estimatedHours == 3)
            let comment = try await service.addComment(task.id, "Soon")
            #expect(try await service.comments(task.id) == [comment])
            #expect(comment.userId == LiveServer.userID)
            let log = try await service.logTime(task.id, minutes: 45, description: "On the phone")
            #expect(try await service.timeLogs(task.id) == [log])
            #expect(log.minutes == 45)
            task = try await service.completeTask(task.id)
            #expect(task.completedAt != nil)
            #expect(task.timeTracked == 45)
            #expect(task.commentCount == 1)
            #expect(try await service.task(task.id) == task)

            let second = try await service.createTask(.init(title: "Second", priority: .urgent))
            #expect(try await service.tasks(my: true).data.isEmpty)
            #expect(try await service.tasks(priority: .urgent).data.map(\.id) == [second.id])
            #expect(try await service.tasks(search: "☎").data.map(\.id) == [task.id])
            let page = try await service.tasks(page: 2, limit: 1)
            #expect(
                page.total == 2 && page.page == 2 && page.limit == 1 && page.hasMore == false && page.data.count == 1
            )
            let stats = try await service.stats()
            #expect(stats.total == 2)
            #expect(stats.completed == 1)
            #expect(stats.todo == 1)
            #expect(try await service.stats(my: true).total == 0)
            #expect(try await service.updateTasks([task.id, second.id], .init(status: .review)) == 2)
            #expect(try await service.deleteTasks([second.id, "nobody"]) == 1)
            try await service.deleteTask(task.id)
            try await service.deleteTask(task.id)
            await #expect(throws: APIError.notFound) { try await service.task(task.id) }
            await #expect(throws: APIError.validation(["title": "must not be empty"])) {
                try await service.createTask(.init(title: ""))
            }
        }
    }

    @Test func `companies, their people, and what was done with them`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let (leads, customers, contacts) = (LeadService(client), CustomerService(client), ContactService(client))
            var record = try await leads.createLead(.init(companyName: "Ümlaut & Söhne + Co", estimatedAmount: 1200.5))
            #expect(record.recordType == .lead)
            #expect(record.estimatedAmount == 1200.5)
            record = try await leads.updateLead(record.id, .init(city: "Graz", probability: 70))
            #expect(try await leads.lead(record.id) == record)
            #expect(record.city == "Graz")
            #expect(try await leads.leads(search: "& Söhne +").data.map(\.id) == [record.id])
            let visit = try await leads.addActivity(
                record.id,
                .init(type: "visit", subject: "On site", activityDate: .now)
            )
            #expect(try await leads.activities(record.id).data == [visit])
            #expect(try await leads.convertLead(record.id).recordType == .customer)
            let customer = try await customers.customer(record.id)
            #expect(customer.customerSince != nil)
            let changed = try await customers.updateCustomer(
                customer.id,
                .init(companyName: "Söhne"),
                clearing: ["city"]
            )
            #expect(changed.city == nil)
            #expect(changed.companyName == "Söhne")
            let other = try await customers.createCustomer(.init(companyName: "Other"))
            #expect(try await customers.customers().total == 2)
            #expect(try await customers.companies(type: .customer, search: "other").data.map(\.id) == [other.id])
            #expect(try await customers.company(other.id).id == other.id)

            var contact = try await contacts.createContact(.init(contactName: "Ada Lovelace", companyId: customer.id))
            #expect(contact.firstName == "Ada")
            #expect(contact.lastName == "Lovelace")
            contact = try await contacts.updateContact(contact.id, .init(mobilePhone: "1"))
            #expect(try await contacts.contact(contact.id).mobilePhone == "1")
            #expect(try await contacts.contacts(company: customer.id).data.first?.companyName == "Söhne")
            try await contacts.deleteContact(contact.id)
            try await customers.deleteCustomer(other.id)
            let lost = try await leads.createLead(.init(companyName: "Lost"))
            try await leads.deleteLead(lost.id)

            let activities = ActivityService(client)
            var call = try await activities.createActivity(
                .init(type: "call", subject: "Ask", businessRecordId: customer.id)
            )
            call = try await activities.updateActivity(call.id, .init(description: "About the printer"))
            call = try await activities.completeActivity(call.id)
            #expect(call.activityDate != nil)
            #expect(call.userName == "Grace Hopper")
            #expect(try await activities.activity(call.id).description == "About the printer")
            #expect(try await activities.activities(company: customer.id, type: "call").data.map(\.id) == [call.id])
            #expect(try await activities.recent().count >= 2)
            try await activities.deleteActivity(call.id)
        }
    }

    @Test func `service`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let (tickets, machines) = (ServiceTicketService(client), EquipmentService(client))
            let customer = try await CustomerService(client).createCustomer(.init(companyName: "Acme"))
            var machine = try await machines.createEquipment(
                .init(customerId: customer.id, serialNumber: "S1", name: "Copier", model: "C300", installDate: .now)
            )
            machine = try await machines.updateEquipment(machine.id, .init(status: "active", notes: "Loud"))
            #expect(machine.model == "C300")
            #expect(machine.customerName == "Acme")
            let reading = try await machines.createMeterReading(
                .init(equipmentId: machine.id, readingDate: .now, meterBlack: 10, meterColor: 5)
            )
            #expect(reading.meterTotal == 15)
            #expect(try await machines.meterReadings(equipment: machine.id).data.map(\.id) == [reading.id])
            #expect(try await machines.meterReading(reading.id) == reading)
            #expect(try await machines.equipment(customer: customer.id, search: "S1").total == 1)

            var ticket = try await tickets.createTicket(
                .init(title: "Jam", category: "hardware", customerId: customer.id, equipmentId: machine.id)
            )
            #expect(ticket.priority == .medium)
            #expect(ticket.status == .open)
            #expect(ticket.serialNumber == "S1")
            ticket = try await tickets.updateTicket(ticket.id, .init(assignedTechnicianId: LiveServer.userID))
            #expect(ticket.assignedTechnicianName == "Grace Hopper")
            #expect(try await tickets.dispatchLoad().first?.openTickets == 1)
            #expect(try await tickets.tickets(my: true, customer: customer.id).data.map(\.id) == [ticket.id])
            ticket = try await tickets.updateTicket(ticket.id, .init(), clearing: ["assigned_technician_id"])
            #expect(ticket.assignedTechnicianId == nil)
            try await tickets.addUpdate(ticket.id, "On my way")
            let file = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0) })
            let name = "A photo & 1+1.png"
            let attachment = try await tickets.attach(file, name: name, contentType: "image/png", to: ticket.id)
            #expect(attachment.fileName == name)
            #expect(attachment.size == 5000)
            #expect(try await tickets.attachments(ticket.id).map(\.id) == [attachment.id])
            #expect(try await tickets.download(attachment.id, of: ticket.id) == file)
            try await tickets.deleteAttachment(attachment.id, of: ticket.id)
            ticket = try await tickets.resolveTicket(ticket.id, resolution: "Cleaned")
            #expect(ticket.status == .resolved)
            #expect(ticket.resolution == "Cleaned")
            #expect(ticket.resolvedAt != nil)
            #expect(try await tickets.ticket(ticket.id).id == ticket.id)
            #expect(try await tickets.updates(ticket.id).contains { $0.content == "On my way" })
            #expect(try await tickets.stats().byStatus == ["resolved": 1])
            #expect(try await tickets.vocabulary().statuses.contains(.waitingParts))
            let odd = try await tickets.updateTicket(ticket.id, .init(status: TicketStatus(rawValue: "in_the_sky")))
            #expect(odd.status?.rawValue == "in_the_sky")
            #expect(try await machines.machine(machine.id).serviceHistory?.map(\.id) == [ticket.id])
            try await tickets.deleteTicket(ticket.id)
            try await machines.deleteEquipment(machine.id)
        }
    }

    @Test func `offers and what becomes of them`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let (deals, quotes, proposals) = (OpportunityService(client), QuoteService(client), ProposalService(client))
            let customer = try await CustomerService(client).createCustomer(.init(companyName: "Acme"))
            var deal = try await deals.createOpportunity(.init(companyName: "Acme", estimatedAmount: 1200.5))
            #expect(deal.status == .open)
            #expect(deal.salesStage == .new)
            deal = try await deals.updateOpportunity(deal.id, .init(probability: 30, notes: "Hm"))
            deal = try await deals.moveOpportunity(deal.id, to: .closedWon)
            #expect(deal.status == .won)
            #expect(deal.probability == 100)
            #expect(deal.actualCloseDate != nil)
            #expect(try await deals.opportunity(deal.id).estimatedAmount == 1200.5)
            #expect(try await deals.opportunities(stage: .closedWon, my: true).data.map(\.id) == [deal.id])
            try await deals.deleteOpportunity(deal.id)

            let lines = [
                NewLine(description: "A3", quantity: 2, unitPrice: 10.5), NewLine(description: "B", unitPrice: 1),
            ]
            var quote = try await quotes.createQuote(.init(title: "Q", customerId: customer.id, lineItems: lines))
            #expect(quote.totalAmount == 22)
            #expect(quote.lineItems?.map(\.quantity) == [2, 1])
            quote = try await quotes.updateQuote(quote.id, .init(status: .sent))
            #expect(quote.sentDate != nil)
            #expect(try await quotes.quote(quote.id).lineItems?.count == 2)
            #expect(try await quotes.quotes(status: .sent, customer: customer.id).total == 1)
            try await quotes.deleteQuote(quote.id)

            var template = try await proposals.createTemplate(.init(name: "T", content: "C", category: "general"))
            template = try await proposals.updateTemplate(template.id, .init(description: "D"))
            #expect(try await proposals.template(template.id) == template)
            #expect(try await proposals.templates(category: "general").map(\.id) == [template.id])
            var proposal = try await proposals.createProposal(
                .init(title: "P", customerId: customer.id, templateId: template.id, totalAmount: 360)
            )
            proposal = try await proposals.updateProposal(proposal.id, .init(notes: "N"))
            try await proposals.sendProposal(proposal.id)
            proposal = try await proposals.moveProposal(proposal.id, to: .accepted)
            #expect(proposal.status == .accepted)
            #expect(proposal.sentDate != nil)
            #expect(proposal.contractId != nil)
            #expect(try await proposals.pdf(proposal.id).starts(with: Data("%PDF-".utf8)))
            #expect(try await proposals.proposal(proposal.id).customerName == "Acme")
            #expect(try await proposals.proposals(status: .accepted, customer: customer.id).total == 1)
            let draft = try await proposals.createProposal(.init(title: "Draft", customerId: customer.id))
            try await proposals.deleteProposal(draft.id)
            let spare = try await proposals.createTemplate(.init(name: "Spare", category: "general"))
            try await proposals.deleteTemplate(spare.id)
        }
    }

    @Test func `contracts and invoices`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let (contracts, invoices) = (ContractService(client), InvoiceService(client))
            let customer = try await CustomerService(client).createCustomer(.init(companyName: "Acme"))
            var contract = try await contracts.createContract(
                .init(title: "Service", customerId: customer.id, monthlyAmount: 99.5)
            )
            contract = try await contracts.updateContract(contract.id, .init(autoRenew: true))
            #expect(contract.annualValue == 1194)
            #expect(contract.status == .active)
            #expect(contract.autoRenew == true)
            #expect(try await contracts.contracts(status: .active, customer: customer.id).total == 1)
            #expect(try await contracts.upcomingRenewals(days: 366).map(\.id) == [contract.id])
            let next = try await contracts.renewContract(contract.id)
            #expect(try await contracts.renewContract(contract.id).id == next.id)
            #expect(try await contracts.contract(contract.id).status == .renewed)
            try await contracts.deleteContract(next.id)

            var invoice = try await invoices.createInvoice(
                .init(
                    customerId: customer.id,
                    dueDate: .now + 86_400 * 30,
                    paymentTerms: "Net 30",
                    lineItems: [NewLine(description: "Toner", quantity: 3, unitPrice: 33.33)]
                )
            )
            #expect(invoice.totalAmount == 99.99)
            #expect(invoice.balanceDue == 99.99)
            #expect(invoice.status == .open)
            invoice = try await invoices.updateInvoice(invoice.id, .init(status: .sent, notes: "Thanks"))
            invoice = try await invoices.markPaid(invoice.id)
            #expect(invoice.status == .paid)
            #expect(invoice.balanceDue == 0)
            #expect(invoice.paidDate != nil)
            #expect(try await invoices.invoice(invoice.id).lineItems?.first?.quantity == 3)
            #expect(try await invoices.invoices(status: .paid, customer: customer.id).data.first?.lineItemCount == 1)
        }
    }

    @Test func `overviews and notifications`() async throws {
        try await LiveServer.with { server in
            try server.execute(
                """
                INSERT INTO user_notifications (id, tenant_id, user_id, type, title, message, created_at)
                SELECT gen_random_uuid(), 'acme', '\(LiveServer.userID)', 'task_due', 'T' || n, 'M',
                       timestamp '2024-01-01' + n * interval '1 hour'
                FROM generate_series(1, 3) n
                """
            )
            let client = try await server.signedIn()
            let notifications = NotificationService(client)
            let page = try await notifications.notifications(limit: 2)
            #expect(page.unread == 3)
            #expect(page.total == 3)
            #expect(page.data.map(\.title) == ["T3", "T2"])
            try await notifications.markRead(page.data[0].id)
            #expect(try await notifications.notifications(isRead: false).unread == 2)
            try await notifications.markAllRead()
            try await notifications.deleteNotification(page.data[1].id)
            #expect(try await notifications.notifications().unread == 0)

            try await TaskService(client).createTask(
                .init(title: "Acme today", assignedTo: LiveServer.userID, dueDate: .now)
            )
            let customer = try await CustomerService(client).createCustomer(.init(companyName: "Acme"))
            let new = NewOpportunity(
                companyName: "Acme",
                customerId: customer.id,
                estimatedAmount: 500,
                probability: 50
            )
            let deal = try await OpportunityService(client).createOpportunity(new)
            let won = try await OpportunityService(client).createOpportunity(new)
            try await OpportunityService(client).moveOpportunity(won.id, to: .closedWon)
            try await LeadService(client).addActivity(customer.id, .init(type: "call", subject: "Hello"))
            try server.execute(
                """
                UPDATE deals SET created_at = now() - interval '9 days', customer_id = NULL,
                    last_activity_date = now() - interval '9 days' WHERE id = '\(deal.id)'
                """
            )
            let today = try await DashboardService(client).today()
            #expect(today.taskCount == 1)
            #expect(today.tasks?.first?.title == "Acme today")
            #expect(today.degraded == [])
            #expect(today.metrics?.dealsWon == 1)
            #expect(today.recentActivities?.first?.title == "Hello")
            let found = try await SearchService(client).search("acme")
            #expect(
                found.total == found.results.count
                    && Set(found.results.map(\.type)).isSuperset(of: ["task", "customer"])
            )
            let reports = TeamReportService(client)
            #expect(try await reports.pipeline().pipelineValue == 500)
            #expect(try await reports.activities().first?.callCount == 1)
            #expect(try await reports.leaderboard(.year).first?.closedWonAmount == 500)
            #expect(try await reports.noTouch().map(\.opportunityId) == [deal.id])
        }
    }

    @Test func `words that this build does not know`() async throws {
        try await LiveServer.with { server in
            let client = try await server.signedIn()
            let record = try await LeadService(client).createLead(.init(companyName: "Acme"))
            // A newer server may know more; what it shows is read as unknown.
            let text = try await client.requestData(.lead(record.id))
            let newer = String(decoding: text, as: UTF8.self)
                .replacingOccurrences(of: #""record_type":"lead""#, with: #""record_type":"franchise""#)
            let decoded = try JSONDecoder.swiftlet.decode(BusinessRecord.self, from: Data(newer.utf8))
            #expect(decoded.recordType == .unknown)
        }
    }
}
