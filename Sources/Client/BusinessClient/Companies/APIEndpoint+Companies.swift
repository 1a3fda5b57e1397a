public import SwiftletClient

extension APIEndpoint {
    public static func customers(
        status: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        companies("customers", status: status, search: search, page: page, limit: limit)
    }

    public static func leads(
        status: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        companies("leads", status: status, search: search, page: page, limit: limit)
    }

    /// Companies of every kind, or of one.
    public static func businessRecords(
        type: RecordType? = nil,
        status: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 25
    ) -> APIEndpoint {
        companies("business-records", type: type, status: status, search: search, page: page, limit: limit)
    }

    /// By its id, or by its customer number.
    public static func customer(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("customers", id)) }

    public static func createCustomer(_ customer: NewCompany) -> APIEndpoint { create(path("customers"), customer) }

    public static func updateCustomer(_ id: String, _ changes: CompanyChanges, clearing: [String] = []) -> APIEndpoint {
        update(.put, path("customers", id), changes, clearing: clearing)
    }

    public static func deleteCustomer(_ id: String) -> APIEndpoint { delete(path("customers", id)) }

    public static func lead(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("leads", id)) }

    public static func createLead(_ lead: NewCompany) -> APIEndpoint { create(path("leads"), lead) }

    public static func updateLead(_ id: String, _ changes: CompanyChanges, clearing: [String] = []) -> APIEndpoint {
        update(.put, path("leads", id), changes, clearing: clearing)
    }

    public static func deleteLead(_ id: String) -> APIEndpoint { delete(path("leads", id)) }

    /// One who is a customer already stays one.
    public static func convertLead(_ id: String) -> APIEndpoint {
        APIEndpoint(.post, path("leads", id, "convert"), repetition: .safe)
    }

    public static func businessRecord(_ id: String) -> APIEndpoint {
        APIEndpoint(.get, path("business-records", id))
    }

    /// What was done with a company of any kind.
    public static func companyActivities(_ company: String, page: Int = 1, limit: Int = 25) -> APIEndpoint {
        APIEndpoint(.get, path("leads", company, "activities"), query: Query.page(page, limit).items)
    }

    public static func addCompanyActivity(_ company: String, _ activity: NewActivity) -> APIEndpoint {
        create(path("leads", company, "activities"), activity, readBack: .list)
    }

    private static func companies(
        _ function: String,
        type: RecordType? = nil,
        status: String?,
        search: String?,
        page: Int,
        limit: Int
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("recordType", type?.rawValue)
        query.add("status", status)
        query.add("search", search)
        return APIEndpoint(.get, path(function), query: query.items)
    }
}
