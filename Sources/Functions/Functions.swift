public import Swiftlet

/// Every function of this server, in alphabetical order.
public let functions: [Function] = [
    activities,
    businessRecords,
    contacts,
    contractRenewal,
    contracts,
    customers,
    equipment,
    globalSearch,
    invoices,
    leads,
    meterReadings,
    notifications,
    opportunities,
    poopLogs,
    proposalTemplates,
    proposals,
    quotes,
    serviceTickets,
    tasks,
    teamReports,
    todayDashboard,
]
