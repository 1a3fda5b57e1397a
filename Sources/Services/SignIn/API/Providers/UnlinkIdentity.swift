import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `DELETE /user/identities/:id`: takes a sign-in method from the caller's account, which keeps one at least. If
    /// the account's address was this identity's alone, it gets that of another identity.
    func unlinkIdentity(_ request: Request, _ context: Context) async throws -> Response {
        guard settings.allowsManualLinking else { throw SignInError.noManualLinking }
        let caller = try await caller(request)
        guard let id = RandomID.normalized(context.parameters["id"]) else {
            throw SignInError(.notFound, "validation_failed", "identity_id must be an UUID")
        }
        let address = services.client(request).address
        do {
            try await accounts.transaction { transaction in
                // Locked, because two that are removed at once could be the last ones.
                let account = try await transaction.lockedAccount(caller.account.id)
                try await transaction.run(try unlinking(id, of: account, from: address, transaction.statements))
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(
                .unprocessableContent,
                "email_conflict_identity_not_deletable",
                "Unable to unlink identity due to email conflict"
            )
        }
        services.emails?.announce()
        return .emptyObject
    }

    private func unlinking(
        _ id: String,
        of account: Account,
        from address: String,
        _ statements: AccountStatements
    ) throws -> [SQL] {
        guard account.identities.count > 1 else {
            throw SignInError(
                .unprocessableContent,
                "single_identity_not_deletable",
                "User must have at least 1 identity after unlinking"
            )
        }
        guard statements.tables.has("identities", "provider_id"),
            let identity = account.identities.first(where: { $0["id"]?.string == id })
        else { throw SignInError(.unprocessableContent, "identity_not_found", "Identity doesn't exist") }
        let others = account.identities.filter { $0["id"]?.string != id }
        let provider = identity["provider"]?.string ?? ""
        let providers = others.compactMap { $0["provider"]?.string }.reduce(into: [String]()) { list, name in
            if !list.contains(name) { list.append(name) }
        }
        let app: JSONObject = [
            "provider": .string(providers.first ?? ""), "providers": .array(providers.map(JSONValue.string)),
        ]
        let change = statements.update(of: account.id) { row in
            row.set("raw_app_meta_data", MetadataSQL.merging(app, into: "raw_app_meta_data"))
            // Without it the password would open the account still.
            if provider == "email" { row.set("encrypted_password", "''") }
            if provider == "phone" {
                row.set("phone", "NULL")
                row.set("phone_confirmed_at", "NULL")
            }
            switch Self.address(of: account, without: identity, others) {
            case .kept: break
            case .none: Self.clear(in: &row)
            case .other(let address): Self.set(address, in: &row)
            }
        }
        let notice = try services.emails?.telling(.identityUnlinked, provider, to: account.email, of: account.id)
        return ["DELETE FROM auth.identities WHERE user_id = \(account.id) AND id = \(id)", change] + (notice ?? [])
            + statements.tables.audit(
                AuditEntry(
                    action: .identityUnlinked,
                    traits: [
                        "identity_id": .string(id), "provider": .string(provider),
                        "provider_id": identity["provider_id"] ?? .null,
                    ],
                    address: address
                ),
                of: account.id
            )
    }

    private struct Address {
        let text: String
        let isVerified: Bool

        init?(_ identity: JSONObject) {
            guard let text = identity["identity_data"]?["email"]?.string?.lowercased(), !text.isEmpty else {
                return nil
            }
            self.text = text
            isVerified = identity["identity_data"]?["email_verified"]?.bool ?? false
        }
    }

    /// What becomes of the account's address.
    private enum AddressOutcome {
        case kept
        /// That of another identity takes its place.
        case other(Address)
        /// It was that of the identity that goes, and no other has one.
        case none
    }

    private static func address(
        of account: Account,
        without identity: JSONObject,
        _ others: [JSONObject]
    ) -> AddressOutcome {
        let current = account.email.lowercased()
        let known = others.compactMap(Address.init)
        guard !current.isEmpty, !known.contains(where: { $0.text == current }) else { return .kept }
        if let address = known.first(where: \.isVerified) ?? known.first { return .other(address) }
        return Address(identity)?.text == current ? .none : .kept
    }

    private static func clear(in row: inout RowValues) {
        row.set("email", "NULL")
        row.set("email_confirmed_at", "NULL")
        for column in AccountStatements.tokenColumns { row.set(column, "''") }
    }

    private static func set(_ address: Address, in row: inout RowValues) {
        row.set("email", "\(address.text)")
        row.set("email_confirmed_at", address.isVerified ? "coalesce(email_confirmed_at, now())" : "NULL")
        if !address.isVerified {
            let data: JSONObject = ["email_verified": false]
            row.set("raw_user_meta_data", MetadataSQL.merging(data, into: "raw_user_meta_data"))
        }
        for column in AccountStatements.tokenColumns { row.set(column, "''") }
    }
}
