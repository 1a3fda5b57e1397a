public import Foundation
public import SwiftletClient

extension APIEndpoint {
    /// The newest first. `my` are those that are assigned to the caller; a search looks at numbers, titles and
    /// descriptions.
    public static func serviceTickets(
        my: Bool = false,
        status: TicketStatus? = nil,
        priority: TicketPriority? = nil,
        assignedTo: String? = nil,
        customer: String? = nil,
        equipment: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("my", my)
        query.add("status", status?.rawValue)
        query.add("priority", priority?.rawValue)
        query.add("assignedTo", assignedTo)
        query.add("customerId", customer)
        query.add("equipmentId", equipment)
        query.add("search", search)
        return APIEndpoint(.get, path("service-tickets"), query: query.items)
    }

    public static func serviceTicket(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("service-tickets", id)) }

    public static func createTicket(_ ticket: NewTicket) -> APIEndpoint { create(path("service-tickets"), ticket) }

    public static func updateTicket(_ id: String, _ changes: TicketChanges, clearing: [String] = []) -> APIEndpoint {
        update(.patch, path("service-tickets", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func deleteTicket(_ id: String) -> APIEndpoint { delete(path("service-tickets", id)) }

    public static func ticketUpdates(_ ticket: String, page: Int = 1, limit: Int = 100) -> APIEndpoint {
        APIEndpoint(.get, path("service-tickets", ticket, "updates"), query: Query.page(page, limit).items)
    }

    public static func addTicketUpdate(_ ticket: String, _ content: String, type: String = "note") -> APIEndpoint {
        create(
            path("service-tickets", ticket, "updates"),
            ["type": type, "content": content],
            readBack: .list
        )
    }

    public static func ticketStats(my: Bool = false) -> APIEndpoint {
        var query = Query()
        query.add("my", my)
        return APIEndpoint(.get, path("service-tickets", "stats"), query: query.items)
    }

    public static var ticketVocabulary: APIEndpoint { APIEndpoint(.get, path("service-tickets", "vocabulary")) }

    public static var dispatchLoad: APIEndpoint { APIEndpoint(.get, path("service-tickets", "dispatch-load")) }

    public static func ticketAttachments(_ ticket: String) -> APIEndpoint {
        APIEndpoint(.get, path("service-tickets", ticket, "attachments"), query: Query.page(1, 100).items)
    }

    public static func attachFile(
        _ ticket: String,
        _ file: Data,
        name: String,
        contentType: String
    ) -> APIEndpoint {
        APIEndpoint(
            .post,
            path("service-tickets", ticket, "attachments"),
            query: [URLQueryItem(name: "filename", value: name)],
            body: .data(file, contentType: contentType)
        )
    }

    public static func ticketAttachment(_ ticket: String, _ id: String) -> APIEndpoint {
        var endpoint = APIEndpoint(.get, path("service-tickets", ticket, "attachments", id))
        endpoint.headers["Accept"] = "*/*"
        return endpoint
    }

    public static func deleteAttachment(_ ticket: String, _ id: String) -> APIEndpoint {
        delete(path("service-tickets", ticket, "attachments", id))
    }
}
