import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `GET /passkeys`: an array, oldest first.
    func listPasskeys(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        return .passkeys(try await passkeys(of: caller(request).account.id))
    }

    /// `PATCH /passkeys/:id` with `friendly_name`.
    func renamePasskey(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        let caller = try await caller(request)
        let id = try Self.passkeyID(context, "id")
        guard let name = try Fields(request).text("friendly_name") else {
            throw SignInError.invalid("friendly_name is required")
        }
        guard name.utf8.count <= Self.maximumPasskeyName, !name.utf8.contains(0) else {
            throw SignInError.invalid("friendly_name must be \(Self.maximumPasskeyName) characters or less")
        }
        guard try await passkeys(of: caller.account.id).contains(where: { $0.id == id }) else {
            throw SignInError.unknownPasskey
        }
        let address = services.client(request).address
        try await accounts.run { tables in
            try passkeyStatements(tables).renaming(id, to: name, of: caller.account.id, from: address)
        }
        guard let renamed = try await passkeys(of: caller.account.id).first(where: { $0.id == id }) else {
            throw SignInError.unknownPasskey
        }
        return Response.json { renamed.write(to: &$0) }
    }

    /// `DELETE /passkeys/:id`.
    func deletePasskey(_ request: Request, _ context: Context) async throws -> Response {
        try requirePasskeys()
        let (caller, _) = try await passkeyOwner(request)
        try await remove(try Self.passkeyID(context, "id"), of: caller.account, request)
        return Response(status: .noContent)
    }

    /// `GET /admin/users/:id/passkeys`: an array, oldest first.
    func adminListPasskeys(_ request: Request, _ context: Context) async throws -> Response {
        try await requireAdministrator(request)
        try requirePasskeys()
        return .passkeys(try await passkeys(of: accounts.existing(id: Self.id(context)).id))
    }

    /// `DELETE /admin/users/:id/passkeys/:passkey`.
    func adminDeletePasskey(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        try requirePasskeys()
        let account = try await accounts.existing(id: Self.id(context))
        try await remove(try Self.passkeyID(context, "passkey"), of: account, by: administrator, request)
        return Response(status: .noContent)
    }

    private static let maximumPasskeyName = 120

    private static func passkeyID(_ context: Context, _ name: String) throws(SignInError) -> String {
        guard let id = RandomID.normalized(context.parameters[name]) else { throw .unknownPasskey }
        return id
    }

    /// Deletes the passkey, and tells its owner.
    private func remove(
        _ id: String,
        of account: Account,
        by administrator: Administrator? = nil,
        _ request: Request
    ) async throws {
        guard try await passkeys(of: account.id).contains(where: { $0.id == id }) else {
            throw SignInError.unknownPasskey
        }
        let notice = try services.emails?.telling(.passkeyRemoved, to: account.email, of: account.id)
        let address = services.client(request).address
        try await accounts.run { tables in
            [AccountStatements.lock(on: account.id)]
                + (try passkeyStatements(tables).deletion(of: id, of: account.id, from: address, by: administrator))
                + (notice ?? [])
        }
        services.emails?.announce()
    }
}

extension Response {
    fileprivate static func passkeys(_ passkeys: [Passkey]) -> Response {
        .json { json in
            json.beginArray()
            for passkey in passkeys { passkey.write(to: &json) }
            json.endArray()
        }
    }
}
