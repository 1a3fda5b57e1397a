/// What `swiftlet dev` fills a new database with, in this order.
public let demoData: [String] = [demoTasks, demoTaskDetails, demoCompanies, demoSales, demoService, demoCheckIns]

/// What its banner proposes to try.
public let examples: [String] = [
    "'{url}/tasks?limit=2&status=todo'",
    #"-H 'Content-Type: application/json' -d '{"title":"My first task","tags":["new"]}' {url}/tasks"#,
]
