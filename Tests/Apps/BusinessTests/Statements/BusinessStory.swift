import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Synchronization
import Testing

/// Asks every function of the business app for everything that it can do, once.
final class BusinessStory: Sendable {
    private let boss: TestCaller
    private let beginner: TestCaller
    private let names = Mutex<Set<String>>([])

    /// The functions that were asked.
    var asked: Set<String> { names.withLock(\.self) }

    static let tables: Set<String> = [
        "business_records", "business_record_activities", "company_contacts", "deals", "deal_stages", "equipment",
        "meter_readings", "service_tickets", "service_ticket_updates", "service_ticket_attachments", "contracts",
        "quotes",
        "quote_line_items", "proposals", "proposal_line_items", "proposal_templates", "invoices", "invoice_line_items",
        "tasks", "task_comments", "time_entries", "user_notifications",
    ]

    /// Whether a row that others refer to is not deleted, but stays with a 409.
    private let keepsWhatIsReferredTo: Bool

    init(boss: TestCaller, beginner: TestCaller, keepsWhatIsReferredTo: Bool = false) {
        self.keepsWhatIsReferredTo = keepsWhatIsReferredTo
        self.boss = boss
        self.beginner = beginner
    }

    func play() async throws {
        let customer = try await make("/customers", #"{"company_name":"Acme"}"#)
        try await records(customer)
        try await tasks()
        try await service(customer)
        try await sales(customer)
        try await overviews()
    }

    private func records(_ customer: String) async throws {
        let lead = try await make("/leads", #"{"company_name":"New"}"#)
        try await change("/leads/\(lead)", #"{"company_name":"Newer"}"#)
        try await ask(.post, "/leads/\(lead)/convert")
        for function in ["leads", "customers", "business-records"] {
            try await list("/\(function)", "search=a&sort=-company_name")
            try await ask(.get, "/\(function)/\(customer)")
            try await ask(.get, "/\(function)/\(customer)/activities")
            _ = try await make("/\(function)/\(customer)/activities", #"{"type":"call","subject":"Hello"}"#)
        }
        try await change("/customers/\(customer)", #"{"company_name":"Acme Ltd"}"#)
        let contact = try await make("/contacts", #"{"contact_name":"Ann Lee","company_id":"\#(customer)"}"#)
        try await list("/contacts", "companyId=\(customer)&search=a")
        try await change("/contacts/\(contact)", #"{"contact_name":"Ann Li"}"#)
        try await ask(.get, "/contacts", as: beginner)
        try await ask(.get, "/contacts/\(contact)", as: beginner, is: .forbidden)
        let entity = #""entity_type":"customer","entity_id":"\#(customer)""#
        let activity = try await make("/activities", #"{"type":"note","subject":"Old",\#(entity)}"#)
        try await ask(.get, "/activities/recent")
        try await list("/activities", "")
        try await ask(.post, "/activities/\(activity)/complete")
        try await change("/activities/\(activity)", #"{"subject":"Newer"}"#)
        try await ask(.delete, "/activities/\(activity)")
        try await ask(.get, "/notifications")
        try await ask(.patch, "/notifications/read-all")
        try await ask(.post, "/notifications/0190a5b0-0000-7000-8000-000000000000/mark-read", is: .notFound)
        try await ask(.delete, "/notifications/0190a5b0-0000-7000-8000-000000000000")
    }

    private func tasks() async throws {
        let task = try await make("/tasks", #"{"title":"Call","tags":["a"],"due_date":"2030-01-01T00:00:00Z"}"#)
        try await list("/tasks", "status=todo&my=true&due_before=2031-01-01&search=c&sort=-due_date&page=2&limit=1")
        try await change("/tasks/\(task)", #"{"status":"completed"}"#)
        _ = try await make("/tasks/\(task)/comments", #"{"comment":"Done"}"#)
        _ = try await make("/tasks/\(task)/time", #"{"minutes":5}"#)
        try await ask(.post, "/tasks/none/comments", #"{"comment":"Lost"}"#, is: .notFound)
        try await ask(.get, "/tasks/\(task)/comments")
        try await ask(.get, "/tasks/\(task)/time")
        try await ask(.get, "/tasks/stats?my=true")
        try await ask(.patch, "/tasks/bulk", #"{"task_ids":["\#(task)","x"],"priority":"high"}"#)
        try await ask(.post, "/tasks/bulk/delete", #"{"task_ids":["\#(task)","x"]}"#)
        try await ask(.delete, "/tasks/\(task)")
    }

    private func service(_ customer: String) async throws {
        let contract = try await make(
            "/contracts",
            #"{"title":"Care","customer_id":"\#(customer)","start_date":"2026-01-01","end_date":"2026-12-31"}"#
        )
        try await list("/contracts", "status=expired&search=c")
        try await change("/contracts/\(contract)", #"{"notes":"n"}"#)
        try await ask(.get, "/contract-renewal/upcoming?days=300")
        try await ask(.post, "/contract-renewal/\(contract)/renew", is: .created)
        let machine = try await make("/equipment", #"{"name":"m","customer_id":"\#(customer)"}"#)
        try await list("/equipment", "search=m")
        try await change("/equipment/\(machine)", #"{"name":"n"}"#)
        let reading = #"{"equipment_id":"\#(machine)","black_count":7,"reading_date":"2026-01-01T00:00:00Z"}"#
        try await ask(.post, "/meter-readings", reading, is: .created)
        try await list("/meter-readings", "equipment_id=\(machine)")
        let ticket = try await make("/service-tickets", #"{"title":"Broken","customer_id":"\#(customer)"}"#)
        try await list("/service-tickets", "status=open&search=b")
        try await change("/service-tickets/\(ticket)", #"{"status":"resolved"}"#)
        _ = try await make("/service-tickets/\(ticket)/updates", #"{"update_type":"note","notes":"Seen"}"#)
        for rest in ["stats?my=true", "vocabulary", "dispatch-load", "\(ticket)/updates", "\(ticket)/attachments"] {
            try await ask(.get, "/service-tickets/\(rest)")
        }
        try await ask(.get, "/service-tickets/\(ticket)/attachments/none", is: .notFound)
        try await ask(.delete, "/service-tickets/\(ticket)/attachments/none")
        try await ask(.delete, "/service-tickets/\(ticket)")
    }

    private func sales(_ customer: String) async throws {
        let deal = try await make("/opportunities", #"{"company_name":"Big","customer_id":"\#(customer)"}"#)
        try await list("/opportunities", "status=open&search=b")
        try await change("/opportunities/\(deal)", #"{"amount":5}"#)
        try await ask(.patch, "/opportunities/\(deal)/stage", #"{"stage":"closed_won"}"#)
        let lines = #""line_items":[{"description":"d","quantity":2,"unit_price":3}]"#
        let quote = try await make("/quotes", #"{"title":"q","customer_id":"\#(customer)",\#(lines)}"#)
        try await list("/quotes", "search=q")
        try await change("/quotes/\(quote)", #"{"title":"r",\#(lines)}"#)
        let template = try await make("/proposal-templates", #"{"name":"Standard"}"#)
        try await list("/proposal-templates", "")
        let named = #""title":"p","customer_id":"\#(customer)","template_id":"\#(template)""#
        let proposal = try await make("/proposals", "{\(named),\(lines)}")
        try await list("/proposals", "my=true&search=p")
        try await ask(.post, "/proposals/\(proposal)/send")
        try await ask(.patch, "/proposals/\(proposal)/status", #"{"status":"accepted"}"#)
        try await ask(.get, "/proposals/\(proposal)/pdf")
        try await ask(.delete, "/proposal-templates/\(template)", is: keepsWhatIsReferredTo ? .conflict : .ok)
        let invoice = try await make("/invoices", #"{"customer_id":"\#(customer)",\#(lines)}"#)
        try await list("/invoices", "status=overdue&search=1")
        try await change("/invoices/\(invoice)", #"{"status":"paid"}"#)
        try await ask(.delete, "/quotes/\(quote)")
    }

    private func overviews() async throws {
        for path in [
            "/today-dashboard?tz=Europe/Berlin", "/search?q=acme", "/team-reports/pipeline", "/team-reports/activities",
            "/team-reports/leaderboard?period=year", "/team-reports/no-touch?days=1",
        ] {
            try await ask(.get, path)
        }
        try await ask(.get, "/search?q=acme", as: beginner)
    }

    // MARK: - Asking

    private func make(_ path: String, _ body: String) async throws -> String {
        try await ask(.post, path, body, is: .created)
    }

    private func change(_ path: String, _ body: String) async throws {
        try await ask(.patch, path, body)
        try await ask(.get, path)
    }

    private func list(_ path: String, _ query: String) async throws {
        try await ask(.get, path)
        try await ask(.get, "\(path)?\(query)")
    }

    /// The id in the answer, if it has one.
    @discardableResult
    private func ask(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        as caller: TestCaller? = nil,
        is status: Status = .ok
    ) async throws -> String {
        names.withLock { _ = $0.insert(String(path.split { "/?".contains($0) }.first ?? "")) }
        let response = try await (caller ?? boss).send(method, path, body)
        #expect(response.status == status, "\(method.rawValue) \(path) \(body): \(response.text)")
        return (try? JSONParser.parse(response.body)["id"]?.string) ?? ""
    }
}
