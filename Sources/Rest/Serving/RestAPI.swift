import HTTP
package import Postgres
package import Web

/// `/rest/v1`: the relations and functions of the exposed schemas, as PostgREST serves them.
package struct RestAPI: Sendable {
    let authentication: Authentication
    let settings: RestSettings
    let catalogues: CatalogueCache
    let shapes = StatementShapes()
    let reads = KnownReads()

    package init(database: Database, authentication: Authentication, settings: RestSettings) {
        self.authentication = authentication
        self.settings = settings
        catalogues = CatalogueCache(database: database, schemas: settings.schemas)
    }

    /// Every route is open, because the handlers authenticate callers themselves, with PostgREST's errors.
    package var function: Function {
        Function("rest") {
            [
                get("/v1", root),
                get("/v1/:relation", relation),
                post("/v1/:relation", relation),
                patch("/v1/:relation", relation),
                put("/v1/:relation", relation),
                delete("/v1/:relation", relation),
                get("/v1/rpc/:function", routine),
                post("/v1/rpc/:function", routine),
            ].map { $0.open() }
        }
        .with(RestErrorFormat.middleware)
        .keepingDates()
        .unlisted()
    }

    @Sendable private func root(_ request: Request, _ context: Context) async throws -> Response {
        let request = try await read(request)
        let catalogue = try await catalogue()
        return RootPage(catalogue: catalogue, request: request, settings: settings).response()
    }

    @Sendable private func relation(_ request: Request, _ context: Context) async throws -> Response {
        let request = try await read(request)
        let name = context.parameters["relation"]
        return try await attempt { (catalogue) throws(RestError) in
            let relationName = QualifiedName(request.schema, name)
            guard let relation = catalogue.relations[relationName] else {
                if name == "health", request.isRead { return Self.health }
                throw RestError.noRelation(relationName, catalogue)
            }
            let transaction = transaction(request, catalogue, context, path: "/\(name)")
            let action = RelationAction(relation: relation, transaction: transaction)
            return request.isRead ? try await action.read() : try await action.change()
        }
    }

    @Sendable private func routine(_ request: Request, _ context: Context) async throws -> Response {
        let request = try await read(request)
        let name = context.parameters["function"]
        return try await attempt { (catalogue) throws(RestError) in
            let transaction = transaction(request, catalogue, context, path: "/rpc/\(name)")
            return try await RoutineAction(name: QualifiedName(request.schema, name), transaction: transaction).call()
        }
    }

    /// What the gallery app asks for; where no relation has this name.
    private static let health = Response(json: Array(#"{"status":"healthy"}"#.utf8))

    private func read(_ request: Request) async throws(RestError) -> RestRequest {
        let caller = try await RestCaller.identify(request, authentication, settings)
        return try RestRequest(request, caller, settings)
    }

    private func transaction(
        _ request: RestRequest,
        _ catalogue: Catalogue,
        _ context: Context,
        path: String
    ) -> RestTransaction {
        RestTransaction(
            request: request,
            settings: settings,
            catalogue: catalogue,
            shapes: shapes,
            reads: reads,
            context: context,
            path: path
        )
    }

    private func catalogue() async throws(RestError) -> Catalogue {
        do {
            return try await catalogues.current()
        } catch {
            throw .unavailable
        }
    }

    /// Runs `body`, and once more if something was not found that a newer catalogue may have. What PostgreSQL did not
    /// find has changed nothing.
    private func attempt(_ body: (Catalogue) async throws(RestError) -> Response) async throws(RestError) -> Response {
        let catalogue = try await catalogue()
        do throws(RestError) {
            return try await body(catalogue)
        } catch {
            guard error.meansStaleCatalogue, let newer = try? await catalogues.afterMiss(in: catalogue) else {
                throw error
            }
            return try await body(newer)
        }
    }
}

extension RestError {
    static func noRelation(_ name: QualifiedName, _ catalogue: Catalogue) -> RestError {
        let near = NearestName.find(name.name, among: catalogue.relationNames(in: name.schema))
        return RestError(
            .notFound,
            "PGRST205",
            "Could not find the table '\(name)' in the schema cache",
            hint: near.map { "Perhaps you meant the table '\(name.schema).\($0)'" }
        )
    }

    /// A newer catalogue may make it succeed.
    fileprivate var meansStaleCatalogue: Bool {
        ["PGRST200", "PGRST202", "PGRST204", "PGRST205", "42P01", "42703", "42883", "42P10"].contains(code)
    }
}
