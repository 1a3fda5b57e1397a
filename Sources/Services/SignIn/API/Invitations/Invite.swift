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
        try await requireAdministrator(request)
        let fields = try Fields(request)
        guard let email = try fields.email() else { throw SignInError.noAddress }
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        let emails = try self.emails
        let known = try await accounts.find(email: email)
        guard known?.isConfirmed != true else { throw SignInError.emailExists }
        let new = known == nil ? try await invited(email, data) : nil
        let id = known?.id ?? new?.id ?? ""
        let redirect = redirect(request)
        if let new { try await services.hooks.admit(new, from: services.client(request).address) }
        do {
            try await accounts.transaction { transaction in
                if let new { try await transaction.run(transaction.statements.insertion(of: new)) }
                try await transaction.run([transaction.statements.invitation(of: id)])
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
    func invited(_ email: String, _ data: JSONObject) async throws -> NewAccount {
        var new = NewAccount()
        if let id = try await personID(email) { new.id = id }
        new.email = email
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.userMetadata = data
        new.identities = [.email(email, of: new.id, isVerified: false)]
        return new
    }
}

extension AccountStatements {
    func invitation(of id: String) -> SQL { update(of: id) { $0.set("invited_at", "now()") } }
}

extension SignInError {
    static let noAddress = invalid("Unable to validate email address: invalid format")
}
