public import Swiftlet

/// Tasks, customers, service, sales and invoices of a team.
public let business = App(
    "business",
    functions: [
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
        proposals,
        proposalTemplates,
        quotes,
        serviceTickets,
        tasks,
        teamReports,
        todayDashboard,
    ],
    demoData: [demoPeople, demoTasks, demoTaskDetails, demoCompanies, demoSales, demoService],
    examples: [
        "'{url}/tasks?limit=2&status=todo'",
        #"-H 'Content-Type: application/json' -d '{"title":"My first task","tags":["new"]}' {url}/tasks"#,
    ],
    summaries: documentation
)
