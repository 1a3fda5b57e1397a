import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    @FunctionBuilder var linkRoutes: [FunctionPart] {
        Post("/v1/invite", serve(Self.invite))
        // supabase-swift asks here.
        Post("/v1/admin/invite", serve(Self.invite))
        Post("/v1/admin/generate_link", serve(Self.generateLink))
    }

    /// `POST /invite`: creates an account without a password, and sends its owner a link that opens it. Once more for
    /// an account that has not been opened yet.
    func invite(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let fields = try Fields(request)
        guard let email = try fields.email() else { throw SignInError.noAddress }
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        let emails = try self.emails
        let known = try await accounts.find(email: email)
        guard known?.isConfirmed != true else { throw SignInError.emailExists }
        let new = known == nil ? try await invited(email, data, by: administrator) : nil
        let id = known?.id ?? new?.id ?? ""
        let redirect = redirect(request)
        if let new { try await services.hooks.admit(new, from: administrator.address) }
        do {
            try await accounts.transaction { transaction in
                if let new { try await transaction.run(transaction.statements.insertion(of: new)) }
                try await transaction.run(transaction.statements.invitation(of: id, email, by: administrator))
                try await emails.write(
                    .invitation,
                    to: email,
                    of: id,
                    nil,
                    redirect: redirect,
                    isUnlimited: true,
                    in: transaction
                )
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        emails.announce()
        return Response.user(try await accounts.existing(id: id))
    }

    /// An account that only its address leads to.
    func invited(_ email: String, _ data: JSONObject, by administrator: Administrator) async throws -> NewAccount {
        var new = NewAccount()
        new.creator = administrator
        if let id = try await personID(email) { new.id = id }
        new.email = email
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = data
        new.identities = [.email(email, of: new.id, isVerified: false)]
        return new
    }
}

extension AccountStatements {
    func invitation(of id: String, _ email: String, by administrator: Administrator) -> [SQL] {
        let entry = administrator.entry(.invited, ["user_id": .string(id), "user_email": .string(email)])
        return [update(of: id) { $0.set("invited_at", "now()") }] + tables.audit(entry, of: id)
    }
}

extension SignInError {
    static let noAddress = invalid("Unable to validate email address: invalid format")
}
