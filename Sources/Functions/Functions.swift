public import Swiftlet

/// Every function of this server, in alphabetical order.
public let functions: [Function] = [
    activities,
    businessRecords,
    contacts,
    customers,
    globalSearch,
    leads,
    notifications,
    opportunities,
    proposalTemplates,
    quotes,
    tasks,
    teamReports,
    todayDashboard,
]
