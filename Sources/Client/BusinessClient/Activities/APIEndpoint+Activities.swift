public import SwiftletClient

extension APIEndpoint {
    /// The newest first, of all companies or of one.
    public static func activities(
        company: String? = nil,
        type: String? = nil,
        search: String? = nil,
        page: Int = 1,
        limit: Int = 20
    ) -> APIEndpoint {
        var query = Query.page(page, limit)
        query.add("businessRecordId", company)
        query.add("activityType", type)
        query.add("search", search)
        return APIEndpoint(.get, path("activities"), query: query.items)
    }

    public static func recentActivities(limit: Int = 20) -> APIEndpoint {
        APIEndpoint(.get, path("activities", "recent"), query: Query.page(1, limit).items)
    }

    public static func activity(_ id: String) -> APIEndpoint { APIEndpoint(.get, path("activities", id)) }

    public static func createActivity(_ activity: NewActivity) -> APIEndpoint { create(path("activities"), activity) }

    public static func updateActivity(
        _ id: String,
        _ changes: ActivityChanges,
        clearing: [String] = []
    ) -> APIEndpoint {
        update(.patch, path("activities", id), changes, clearing: clearing, repetition: .keyed)
    }

    public static func completeActivity(_ id: String) -> APIEndpoint {
        APIEndpoint(.patch, path("activities", id, "complete"), repetition: .keyed)
    }

    public static func deleteActivity(_ id: String) -> APIEndpoint { delete(path("activities", id)) }
}
