import SwiftletBytes
import SwiftletHTTP
package import SwiftletPostgres
package import SwiftletWeb

/// `/rest/v1`: the relations and functions of the exposed schemas, as PostgREST serves them.
package struct RestAPI: Sendable {
    let authentication: Authentication
    let catalogs: CatalogCache
    let statements = StatementCache()
    let reads = RestPlanCache()
    let largeRoutines = LargeRoutines()
    private let errors: RestErrorFormat

    package init(database: Database, authentication: Authentication, settings: RestSettings) {
        self.authentication = authentication
        catalogs = CatalogCache(database: database, settings: settings)
        errors = RestErrorFormat(
            repeated: settings.traceField.flatMap { Headers.Name($0) },
            tellsDetails: settings.tellsDetails
        )
    }

    /// Handlers check their callers themselves, with PostgREST's errors.
    package var function: Function {
        Function("rest") {
            Get("/v1", root)
            Get("/v1/:relation", relation)
            Post("/v1/:relation", relation)
            Patch("/v1/:relation", relation)
            Put("/v1/:relation", relation)
            Delete("/v1/:relation", relation)
            Get("/v1/rpc/:function", routine)
            Post("/v1/rpc/:function", routine)
            Put("/v1/rpc/:function", unsupported)
            Patch("/v1/rpc/:function", unsupported)
            Delete("/v1/rpc/:function", unsupported)
            Route(.options, "/v1", handler: allowedOfRoot)
            Route(.options, "/v1/:relation", handler: allowedOfRelation)
            Route(.options, "/v1/rpc/:function", handler: allowedOfRoutine)
        }
        .with(errors.middleware)
        .keepingDates()
        .checkedByHandlers()
        .unlisted()
    }

    @Sendable private func root(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            let request = try await read(request, timings)
            let catalog = try await catalog()
            if let function = catalog.settings.rootFunction {
                let name = QualifiedName(function, in: request.schema)
                return try await answer(request, by: name, context, path: "/")
            }
            let type = try request.descriptionType()
            let privileges: RestTransaction.Privileges?
            switch catalog.settings.description {
            case .off: throw RestError(.notFound, "PGRST126", "Root endpoint metadata is disabled")
            case .everything: privileges = nil
            case .followsPrivileges:
                privileges = try await transaction(request, catalog, context, path: "/").privileges()
            }
            let document = SwaggerDocument(catalog: catalog, schema: request.schema, privileges: privileges)
            var response = document.response(type)
            if request.namesSchema { response.headers.append("Content-Profile", request.schema) }
            return response
        }
    }

    @Sendable private func relation(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            let request = try await read(request, timings)
            let name = context.parameters["relation"]
            return try await attempt { (catalog) throws(RestError) in
                let relationName = QualifiedName(request.schema, name)
                guard let relation = catalog.relations[relationName] else {
                    if name == "health", request.isRead { return Self.health }
                    throw RestError.noRelation(relationName, catalog)
                }
                let negotiated = try request.negotiated(
                    catalog.mediaHandlers,
                    target: relationName,
                    isWhole: request.selectsAll,
                    showsPlans: catalog.settings.showsPlans
                )
                let transaction = transaction(negotiated, catalog, context, path: "/\(name)")
                let planner = RelationPlanner(relation: relation, request: negotiated, catalog: catalog)
                return try await once(transaction, isReadOnly: negotiated.isRead) { (transaction) throws(RestError) in
                    try await RestExecution(transaction: transaction).run(planner)
                }
            }
        }
    }

    @Sendable private func routine(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            let request = try await read(request, timings)
            let name = context.parameters["function"]
            return try await answer(request, by: QualifiedName(request.schema, name), context, path: "/rpc/\(name)")
        }
    }

    /// The answer that a function gives.
    private func answer(
        _ request: RestRequest,
        by name: QualifiedName,
        _ context: Context,
        path: String
    ) async throws(RestError) -> Response {
        try await attempt { (catalog) throws(RestError) in
            let query = try RoutinePlanner.query(of: request)
            request.timings?.end(.parsing)
            let call = try RoutineSearch(catalog: catalog, name: name).call(request, query)
            // Rows of a relation are made into what is asked for as those of the relation are.
            let relation: QualifiedName? =
                if case .rows(let relation, _) = call.routine.result { relation } else { nil }
            let negotiated = try request.negotiated(
                catalog.mediaHandlers,
                target: relation ?? name,
                isWhole: query.select == [.all],
                showsPlans: catalog.settings.showsPlans
            )
            var transaction = transaction(negotiated, catalog, context, path: path)
            transaction.routineSettings = call.routine.settings
            transaction.isCall = true
            let planner = RoutinePlanner(call: call, query: query, request: negotiated, catalog: catalog)
            let plan = try planner.plan()
            return try await once(transaction, isReadOnly: plan.isReadOnly) { (transaction) throws(RestError) in
                try await RestExecution(transaction: transaction).run(plan)
            }
        }
    }

    /// A change with an `Idempotency-Key` is made once. What is undone, explained or a function that only reads has no
    /// effect to keep.
    private func once(
        _ transaction: RestTransaction,
        isReadOnly: Bool,
        _ change: (RestTransaction) async throws(RestError) -> Response
    ) async throws(RestError) -> Response {
        if case .plan = transaction.request.format { return try await change(transaction) }
        guard !transaction.isUndone, !isReadOnly, let once = try IdempotentChange(transaction.request) else {
            return try await change(transaction)
        }
        return try await once.answer(transaction, change)
    }

    @Sendable private func unsupported(_ request: Request, _ context: Context) async throws -> Response {
        throw RestError.unsupportedMethodOfRoutine(request.method)
    }

    // MARK: - What is allowed

    @Sendable private func allowedOfRoot(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            timings?.end(.token)
            timings?.end(.parsing)
            return Self.allowing(["OPTIONS", "GET", "HEAD"])
        }
    }

    @Sendable private func allowedOfRelation(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            let request = try RestRequest(request, .nobody, await catalog().settings, timings)
            timings?.end(.token)
            timings?.end(.parsing)
            let name = QualifiedName(request.schema, context.parameters["relation"])
            return try await attempt { (catalog) throws(RestError) in
                guard let relation = catalog.relations[name] else { throw RestError.noRelation(name, catalog) }
                let changes = relation.changes
                var methods = ["OPTIONS", "GET", "HEAD"]
                if changes.contains(.insert) { methods.append("POST") }
                if changes.contains([.insert, .update, .delete]), !relation.primaryKey.isEmpty {
                    methods.append("PUT")
                }
                if changes.contains(.update) { methods.append("PATCH") }
                if changes.contains(.delete) { methods.append("DELETE") }
                return Self.allowing(methods)
            }
        }
    }

    @Sendable private func allowedOfRoutine(_ request: Request, _ context: Context) async throws -> Response {
        try await timed { (timings) throws(RestError) in
            let request = try RestRequest(request, .nobody, await catalog().settings, timings)
            timings?.end(.token)
            timings?.end(.parsing)
            let name = QualifiedName(request.schema, context.parameters["function"])
            return try await attempt { (catalog) throws(RestError) in
                guard let routines = catalog.routines[name] else {
                    throw RestError(.notFound, "PGRST202", "Could not find the function \(name) in the schema cache")
                }
                let isVolatile = routines.allSatisfy { $0.volatility == .volatile }
                return Self.allowing(isVolatile ? ["OPTIONS", "POST"] : ["OPTIONS", "GET", "HEAD", "POST"])
            }
        }
    }

    private static func allowing(_ methods: [String]) -> Response {
        var response = Response(status: .ok)
        response.headers.append("Allow", methods.joined(separator: ","))
        return response
    }

    /// Clients probe the API by this name. A relation of the name goes before.
    private static let health = Response(json: Array(#"{"status":"healthy"}"#.utf8))

    private func read(_ request: Request, _ timings: RestTimings?) async throws(RestError) -> RestRequest {
        let catalog = try await catalog()
        defer { timings?.end(.token) }
        let caller: DatabaseCaller
        do throws(DatabaseCaller.Refusal) {
            caller = try await DatabaseCaller.identify(
                request,
                authentication,
                anonymousRole: catalog.settings.anonymousRole,
                audience: catalog.settings.audience
            )
        } catch {
            throw RestError(error, of: request)
        }
        if caller.isAnonymous, let refusal = TokenRefusal.emptyToken(of: request) { throw refusal }
        if let refusal = caller.user.flatMap({ TokenRefusal.refusal(of: $0) }) { throw refusal }
        return try RestRequest(request, caller, catalog.settings, timings)
    }

    private func transaction(
        _ request: RestRequest,
        _ catalog: RestCatalog,
        _ context: Context,
        path: String
    ) -> RestTransaction {
        RestTransaction(
            request: request,
            catalog: catalog,
            statements: statements,
            reads: reads,
            largeRoutines: largeRoutines,
            context: context,
            path: path
        )
    }

    /// The answer, and where it is wanted how long its steps took: also for those up to an error.
    private func timed(
        _ body: (RestTimings?) async throws(RestError) -> Response
    ) async throws(RestError) -> Response {
        guard try await catalog().settings.showsTimings else { return try await body(nil) }
        let timings = RestTimings()
        do throws(RestError) {
            var response = try await body(timings)
            timings.end(.response)
            response.headers.append("Server-Timing", timings.header)
            return response
        } catch {
            if error.code == "PGRST100" { timings.end(.parsing) }
            throw error.adding("Server-Timing", timings.header)
        }
    }

    private func catalog() async throws(RestError) -> RestCatalog {
        do {
            return try await catalogs.current()
        } catch {
            throw .unavailable
        }
    }

    /// Runs `body`, and once more if something was not found that a newer catalog may have. What PostgreSQL did not
    /// find has changed nothing.
    private func attempt(_ body: (RestCatalog) async throws(RestError) -> Response) async throws(RestError) -> Response
    {
        let started = ContinuousClock.now
        let catalog = try await catalog()
        do throws(RestError) {
            return try await body(catalog)
        } catch {
            guard error.meansStaleCatalog, let newer = try? await catalogs.afterMiss(of: started)
            else {
                throw error
            }
            return try await body(newer)
        }
    }
}

extension RestError {
    static func noRelation(_ name: QualifiedName, _ catalog: RestCatalog) -> RestError {
        let names = catalog.relationNames(in: name.schema)
        let near = NearestName.find(name.name, among: names, leastLikeness: 0.75)
        return RestError(
            .notFound,
            "PGRST205",
            "Could not find the table '\(name)' in the schema cache",
            hint: near.map { "Perhaps you meant the table '\(name.schema).\($0)'" }
        )
    }

    /// A newer catalog may make it succeed.
    fileprivate var meansStaleCatalog: Bool {
        ["PGRST200", "PGRST202", "PGRST204", "PGRST205", "42P01", "42703", "42883", "42P10"].contains(code)
    }
}
