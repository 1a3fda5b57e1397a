import HTTP
import JSON
import Postgres
import Web

/// `devices`: anonymous accounts whose ids the apps choose.
struct DeviceAPI: Sendable {
    let services: Services

    var function: Function {
        Function("devices") {
            post("/", register).open()
            get("/me", show).forPersons()
            patch("/me", update).forPersons()
        }
        .with(DeviceErrorFormat.middleware, AccountDatabase.middleware)
    }

    var database: AccountDatabase { services.accounts.database }

    /// `POST /` with `{"deviceId":…}`: 201 with a session and `device_secret`, which is shown once. Again with
    /// `deviceSecret`: 200 with a new session.
    private func register(_ request: Request, _ context: Context) async throws -> Response {
        let form = try DeviceForm(Fields(request))
        guard let id = form.id else { throw SignInError.invalid("deviceId must be a UUID") }
        let client = ClientInfo(request)
        try await services.signUpLimits.admit(address: client.address)
        if let known = try await secretHash(of: id) { return try await returning(id, form, known, request) }
        let secret = try DeviceSecret()
        var new = NewAccount()
        new.id = id
        new.isAnonymous = true
        new.appMetadata = ["device_id": .string(id)]
        do {
            let account = new
            let session = try await services.sessions.open(for: id, by: .anonymous, client: client) {
                $0.statements.insertion(of: account) + [form.insertion(id, secretHash: secret.hash)]
            }
            return try answer(.created, session, request, secret: secret.text)
        } catch let error as PostgresError where error.state == .uniqueViolation {
            // Another account has the id, or the same device was a moment faster.
            throw SignInError.deviceRegistered
        }
    }

    /// A device that is known: it must have its secret.
    private func returning(
        _ id: String,
        _ form: DeviceForm,
        _ hash: String,
        _ request: Request
    ) async throws -> Response {
        guard let secret = form.secret, DeviceSecret.matches(secret, hash: hash) else {
            throw SignInError.deviceRegistered
        }
        let session = try await services.sessions.open(for: id, by: .anonymous, client: ClientInfo(request)) { _ in
            [form.update(id)]
        }
        return try answer(.ok, session, request)
    }

    private func secretHash(of id: String) async throws -> String? {
        try await database.query("SELECT coalesce(secret_hash, '') AS hash FROM devices WHERE id = \(id)::uuid").first?[
            "hash"
        ]
    }

    /// The answer of `/auth/v1`, with the secret if it is new.
    private func answer(
        _ status: Status,
        _ session: OpenSession,
        _ request: Request,
        secret: String? = nil
    ) throws -> Response {
        var response = try services.answer(session, to: request)
        response.status = status
        if let secret {
            var object = try response.jsonObject()
            object["device_secret"] = .string(secret)
            response.body = Array(JSONValue.object(object).description.utf8)
        }
        return response
    }

    /// `GET /me`: what the server knows of the device.
    private func show(_ request: Request, _ context: Context) async throws -> Response {
        let device = try context.device
        let columns: SQL = "id, platform, model, app_version, created_at, updated_at"
        let rows = try await context.deviceDatabase.query("SELECT \(columns) FROM devices WHERE id = \(device)::uuid")
        return try answer(rows)
    }

    /// `PATCH /me` with `platform`, `model`, `appVersion`.
    private func update(_ request: Request, _ context: Context) async throws -> Response {
        let device = try context.device
        let form = try DeviceForm(Fields(request))
        let rows = try await context.deviceDatabase.query(
            """
            UPDATE devices SET platform = coalesce(\(form.platform), platform), model = coalesce(\(form.model), model),
                app_version = coalesce(\(form.appVersion), app_version), updated_at = now()
            WHERE id = \(device)::uuid RETURNING id, platform, model, app_version, created_at, updated_at
            """
        )
        return try answer(rows)
    }

    private func answer(_ rows: [Row]) throws -> Response {
        guard let row = rows.first else { throw SignInError(.notFound, "not_found", "The device is gone") }
        return .json(.object(try row.json()))
    }
}
