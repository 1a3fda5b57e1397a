// Statements of one's own, and changes that belong together.

import Swiftlet

/// How many vans there are in each city.
public let vanCities = Function("van-cities") {
    Get { _, context in
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
    ChildOf(vans, by: "van_id")
}

/// A van that is inspected when it comes.
public let newVans = Function("new-vans") {
    Post { _, context in
        let van = try await context.transaction { context in
            let van = try await vans.create(["name": "Bolt"], in: context)
            try await inspections.create(["result": "passed"], in: context, parent: van)
            return van
        }
        return van.response()
    }
}
