import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
package import SwiftletPostgres
package import SwiftletWeb

/// The page for operators at `/console`, and what it asks for.
package struct Console: Sendable {
    private let settings: ConsoleSettings
    private let gate: Gate
    private let assets: Assets
    private let tables: TablePages
    private let access: AccessPages
    private let users: UserPages
    private let jobs: JobPages
    private let files: FilePages
    private let push: PushPages
    private let live: LivePages
    private let backups: BackupPages
    private let observation: ObservationPages
    private let sql: SQLPages
    private let setting: SettingPages

    package let sessions: Sessions

    /// Both databases are the console's own, so that no request waits for it; `statements` is for those that operators
    /// type, as one of them may take long.
    package init(database: Database, statements: Database, settings: ConsoleSettings) {
        let own = ConsoleDatabase(database: database)
        let sessions = Sessions(database: database)
        self.settings = settings
        self.sessions = sessions
        gate = Gate(sessions: sessions, settings: settings)
        assets = Assets(folder: settings.assetsFolder)
        tables = TablePages(database: own)
        access = AccessPages(
            tester: AccessTester(database: database, probe: RouteProbe(settings: settings)),
            database: own,
            checksFile: settings.checksFile
        )
        users = UserPages(database: own, settings: settings)
        jobs = JobPages(database: own, announceWork: settings.announceWork)
        files = FilePages(database: own, settings: settings)
        push = PushPages(database: own, settings: settings)
        live = LivePages(database: own, settings: settings)
        backups = BackupPages(database: own, settings: settings)
        observation = ObservationPages(settings: settings, database: own)
        sql = SQLPages(
            database: ConsoleDatabase(database: statements),
            own: own,
            isSeparate: settings.hasOwnRole
        )
        setting = SettingPages(database: own, sessions: sessions, settings: settings)
    }

    package var function: Function {
        Function("console") {
            Get { request, _ in try page(request) }.open()
            Get("/a/:version/:file") { request, context in
                guard let file = assets.response(context.parameters["file"], to: request) else {
                    throw APIError.notFound
                }
                return file
            }
            .open()
            Post("/api/enter", enter).open()
            Post("/api/sign-in", signIn).open()
            Post("/api/sign-out", answer(signOut))
            Get("/api/me", answer(me))
            Get("/api/home", answer(setting.home))
            Get("/api/tables", answer(tables.list))
            Get("/api/picture", answer(tables.picture))
            Get("/api/tables/:schema/:table", answer(tables.show))
            Post("/api/tables/:schema/:table/rows", answer(tables.rows))
            Post("/api/tables/:schema/:table/row", answer(tables.row))
            Post("/api/tables/:schema/:table/referrers", answer(tables.referrers))
            Post("/api/tables/:schema/:table/export", answer(tables.export))
            Post("/api/tables/:schema/:table/import", answer(tables.insertAll))
            Post("/api/tables/:schema/:table/change", answer(tables.change))
            Post("/api/access", answer(access.test))
            Post("/api/access/checks", answer(whole(access.keep)))
            Get("/api/access/matrix", answer(access.matrix))
            Get("/api/users", answer(users.list))
            Get("/api/users/:id/sessions", answer(users.show))
            Post("/api/users/change", answer(whole(users.change)))
            Post("/api/users/token", answer(whole(users.impersonate)))
            Get("/api/jobs", answer(jobs.list))
            Post("/api/jobs", answer(whole(jobs.change)))
            Get("/api/files", answer(files.buckets))
            Post("/api/files/list", answer(files.list))
            Get("/api/files/object", answer(files.object))
            Post("/api/files/upload", answer(whole(files.upload))).streamingBody(upTo: settings.maximumFileBytes)
            Post("/api/files/change", answer(whole(files.change)))
            Get("/api/push", answer(push.list))
            Post("/api/push/send", answer(whole(push.send)))
            Get("/api/live", answer(live.list))
            Get("/api/live/:schema/:table", answer(live.changes))
            Get("/api/backups", answer(backups.list))
            Get("/api/logs", answer(observation.logs))
            Get("/api/metrics", answer(observation.metrics))
            Post("/api/sql", answer(sql.run))
            Post("/api/sql/cancel", answer(sql.cancel))
            Get("/api/settings", answer(setting.configuration))
            Get("/api/migrations", answer(setting.migrations))
            Get("/api/audit", answer(setting.audit))
            Get("/api/operators", answer(setting.operators))
            Post("/api/operators", answer(whole(setting.changeOperators)))
        }
        .checkedByHandlers()
        .unlisted()
        .keepingDates()
        .sameOriginOnly()
    }

    private func page(_ request: Request) throws -> Response {
        do throws(ConsoleError) {
            try gate.checkHost(request)
        } catch {
            return error.response
        }
        return assets.page("index.html", below: "/console")
    }

    @Sendable private func enter(_ request: Request, _ context: Context) async throws -> Response {
        try await begin(request) {
            try await sessions.enter(
                try request.jsonObject()["token"]?.string ?? "",
                gate.origin(of: request)
            )
        }
    }

    @Sendable private func signIn(_ request: Request, _ context: Context) async throws -> Response {
        try await begin(request) {
            let body = try request.jsonObject()
            return try await sessions.signIn(
                body["name"]?.string ?? "",
                body["password"]?.string ?? "",
                gate.origin(of: request)
            )
        }
    }

    private func begin(_ request: Request, _ token: () async throws -> String) async throws -> Response {
        do {
            try gate.checkOrigin(request)
            var response = Response.success
            gate.setCookie(try await token(), on: &response)
            return response
        } catch let error as ConsoleError {
            return error.response
        } catch let error as PostgresError {
            return ConsoleError(error).response
        }
    }

    @Sendable private func signOut(_ asked: ConsoleRequest) async throws -> Response {
        try await sessions.end(asked.visitor.session)
        var response = Response.success
        gate.setCookie(nil, on: &response)
        return response
    }

    @Sendable private func me(_ asked: ConsoleRequest) async throws -> Response {
        .json([
            "name": .string(asked.visitor.name), "role": .string(asked.role.rawValue),
            "version": .string(settings.version), "readOnly": .bool(settings.isReadOnly),
            "separateSQL": .bool(settings.hasOwnRole), "keepsChecks": .bool(settings.checksFile != nil),
            "maximumFileBytes": .number(JSONNumber(settings.maximumFileBytes)),
        ])
    }

    /// A change whose effect and audit entry are several steps: once begun it goes to its end, also when the operator's
    /// connection breaks off, which would cancel it between the two.
    private func whole(
        _ change: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) -> @Sendable (ConsoleRequest) async throws -> Response {
        { asked in try await Task { try await change(asked) }.value }
    }

    /// Answers those who may, and says to others why not.
    private func answer(
        _ body: @escaping @Sendable (ConsoleRequest) async throws -> Response
    ) -> Handler {
        { request, context in
            do {
                try gate.checkOrigin(request)
                let visitor = try await gate.visitor(request)
                return try await body(ConsoleRequest(request: request, context: context, visitor: visitor))
            } catch let error as ConsoleError {
                return error.response
            } catch let error as PostgresError {
                return ConsoleError(error).response
            }
        }
    }
}
