public import SwiftletClient

extension APIEndpoint {
    public static func proposals(
        status: OfferStatus? = nil,
        customer: String? = nil,
        my: Bool = false,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("status", status?.rawValue)
        query.add("customerId", customer)
        query.add("my", my)
        query.add("search", search)
        return APIEndpoint(.get, path("proposals"), query: query.items)
    }

    public static func proposal(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("proposals", id)) }

    public static func createProposal(_ proposal: NewProposal) -> APIEndpoint { create(path("proposals"), proposal) }

    public static func updateProposal(
        _ id: String,
        _ changes: ProposalChanges,
        clearing: [String] = []
    ) -> APIEndpoint {
        update(.put, path("proposals", id), changes, clearing: clearing)
    }

    public static func moveProposal(_ id: String, to status: OfferStatus) -> APIEndpoint {
        APIEndpoint(.patch, path("proposals", id, "status"), body: .json(["status": status]), repetition: .keyed)
    }

    /// One that was sent or accepted stays what it is.
    public static func sendProposal(_ id: String) -> APIEndpoint {
        APIEndpoint(.post, path("proposals", id, "send"), repetition: .safe)
    }

    public static func proposalPDF(_ id: String) -> APIEndpoint {
        var endpoint = APIEndpoint(.get, path("proposals", id, "pdf"))
        endpoint.headers["Accept"] = "application/pdf"
        return endpoint
    }

    public static func deleteProposal(_ id: String) -> APIEndpoint { delete(path("proposals", id)) }

    public static func proposalTemplates(category: String? = nil, page: Int = 1, limit: Int = 100) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("category", category)
        return APIEndpoint(.get, path("proposal-templates"), query: query.items)
    }

    public static func proposalTemplate(_ id: String) -> APIEndpoint {
        APIEndpoint(.get, path("proposal-templates", id))
    }

    public static func createProposalTemplate(_ template: ProposalTemplateFields) -> APIEndpoint {
        create(path("proposal-templates"), template)
    }

    public static func updateProposalTemplate(_ id: String, _ changes: ProposalTemplateFields) -> APIEndpoint {
        update(.patch, path("proposal-templates", id), changes)
    }

    public static func deleteProposalTemplate(_ id: String) -> APIEndpoint {
        delete(path("proposal-templates", id))
    }
}
