import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// `devices`: anonymous accounts whose ids the apps choose.
struct DeviceAPI: ServiceAPI {
    let services: Services

    var function: Function {
        Self.routes(serve(Self.register), serve(Self.show), serve(Self.update)).with(DeviceErrorFormat.middleware)
    }

    static func routes(
        _ register: @escaping Handler,
        _ show: @escaping Handler,
        _ update: @escaping Handler
    ) -> Function {
        Function("devices") {
            Post("/", register).open().taking(form(["deviceId": .uuid, "deviceSecret": .text(upTo: 100).optional]))
                .answering(.session).answering(.created, .session)
                .refusing(.forbidden, .conflict, .unprocessableContent, .tooManyRequests)
            Get("/me", show).forPersons().answering(device).refusing(.forbidden, .notFound)
            Patch("/me", update).forPersons().taking(form([:])).answering(device).refusing(.forbidden, .notFound)
        }
    }

    private static func form(_ first: KeyValuePairs<String, JSONSchema>) -> JSONSchema {
        let text = JSONSchema.text(upTo: 100).nullable.optional
        return .object(first, and: ["platform": text, "model": text, "appVersion": text])
    }

    private static let device = JSONSchema.object([
        "id": .uuid, "platform": .text.nullable, "model": .text.nullable, "app_version": .text.nullable,
        "created_at": .timestamp, "updated_at": .timestamp,
    ])

    /// `POST /` with `{"deviceId":…}`: 201 with a session and `device_secret`, which is shown once. Again with
    /// `deviceSecret`: 200 with a new session.
    private func register(_ request: Request, _ context: Context) async throws -> Response {
        let form = try DeviceForm(request.jsonObject())
        guard let id = form.id else { throw APIError.validation(["deviceId": "is required"]) }
        let client = services.client(request)
        try await services.signUpLimits.admit(address: client.address)
        if let hash = try await secretHash(of: id) { return try await admitAgain(id, form, hash, request) }
        guard !services.settings.isSignUpDisabled else { throw SignInError.signUpDisabled }
        guard try await !accounts.hasPerson(id: id) else { throw APIError.deviceRegistered }
        let secret = try DeviceSecret()
        var new = Self.account(id)
        new.clientAddress = client.address
        try await services.hooks.admit(new, from: client.address)
        do {
            let session = try await services.sessions.open(for: id, by: .anonymous, client: client) {
                $0.statements.insertion(of: new) + [form.insertion(id, secretHash: secret.hash)]
            }
            return try await answer(.created, session, request, secret: secret.text)
        } catch let error as PostgresError where error.state == .uniqueViolation {
            // Another account has the id, or the same device was a moment faster.
            throw APIError.deviceRegistered
        }
    }

    private var accounts: AccountStore { services.accounts }

    private static func account(_ id: String) -> NewAccount {
        var new = NewAccount()
        new.id = id
        new.isAnonymous = true
        new.appMetadata = ["device_id": .string(id)]
        return new
    }

    /// A device that is known: it must have its secret.
    private func admitAgain(
        _ id: String,
        _ form: DeviceForm,
        _ hash: String,
        _ request: Request
    ) async throws -> Response {
        guard let secret = form.secret, DeviceSecret.matches(secret, hash: hash) else {
            throw APIError.deviceRegistered
        }
        let session = try await services.sessions.open(for: id, by: .anonymous, client: services.client(request)) { _ in
            ["UPDATE devices SET \(form.assignments) WHERE id = \(id)::uuid"]
        }
        return try await answer(.ok, session, request)
    }

    /// Throws 404 where no app has devices.
    private func secretHash(of id: String) async throws -> String? {
        do throws(PostgresError) {
            let rows = try await accounts.database.query(
                "SELECT coalesce(secret_hash, '') AS hash FROM devices WHERE id = \(id)::uuid"
            )
            return rows.first?["hash"]
        } catch {
            guard [.undefinedTable, .undefinedColumn].contains(error.state) else { throw error }
            throw APIError.missingTable
        }
    }

    /// The answer of `/auth/v1`, with the secret if it is new.
    private func answer(
        _ status: Status,
        _ session: OpenSession,
        _ request: Request,
        secret: String? = nil
    ) async throws -> Response {
        var response = try await services.answer(session, to: request)
        response.status = status
        if let secret, var object = try JSONParser.parse(response.body).object {
            object["device_secret"] = .string(secret)
            response.body = Array(JSONValue.object(object).description.utf8)
        }
        return response
    }

    /// `GET /me`: what the server knows of the device.
    private func show(_ request: Request, _ context: Context) async throws -> Response {
        let device = try context.device
        let rows = try await context.deviceDatabase.query(
            """
            SELECT id, platform, model, app_version, created_at, updated_at FROM devices
            WHERE id = \(device)::uuid
            """
        )
        return try answer(rows)
    }

    /// `PATCH /me` with `platform`, `model`, `appVersion`; what is left out or null stays.
    private func update(_ request: Request, _ context: Context) async throws -> Response {
        let device = try context.device
        let form = try DeviceForm(request.jsonObject())
        let rows = try await context.deviceDatabase.query(
            """
            UPDATE devices SET \(form.assignments) WHERE id = \(device)::uuid
            RETURNING id, platform, model, app_version, created_at, updated_at
            """
        )
        return try answer(rows)
    }

    private func answer(_ rows: [Row]) throws -> Response {
        guard let row = rows.first else { throw APIError.notFound }
        return .json(.object(try row.json()))
    }
}
