// Statements of one's own, and changes that belong together.

import Swiftlet

/// How many vans there are in each city.
public let vanCities = Function("van-cities") {
    get { _, context in
        try .list(
            await context.database.query(
                "SELECT city, count(*) AS count FROM vans WHERE tenant_id = \(context.tenant) GROUP BY city"
            )
        )
    }
}

// snippet.transaction
private let vans = Resource("vans", scope: .tenant)
private let inspections = Resource("van_inspections", scope: .tenant) {
    parent(vans, by: "van_id")
}

/// A van that is inspected when it comes.
public let newVans = Function("new-vans") {
    post { _, context in
        let van = try await context.transaction { context in
            let van = try await vans.create(["name": "Bolt"], context)
            try await inspections.create(["result": "passed"], context, parent: van)
            return van
        }
        return van.response()
    }
}
