import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `PUT /admin/users/:id`: sets the fields that are sent; metadata is merged.
    func adminUpdateUser(_ request: Request, _ context: Context) async throws -> Response {
        let administrator = try await requireAdministrator(request)
        let id = try Self.id(context)
        let fields = try Fields(request)
        // Before the hash, which is expensive.
        _ = try await accounts.existing(id: id)
        let changes = try await adminUserChanges(fields)
        do {
            try await accounts.transaction { transaction in
                // Locked, because changes that are made together would each be within the limit.
                let account = try await transaction.lockedAccount(id)
                try await transaction.run(
                    statements(for: changes, of: account, by: administrator, transaction.statements)
                )
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError(duplicate: error)
        }
        await services.ended.refresh(readingAll: changes.banSeconds != nil)
        return Response.user(try await accounts.existing(id: id))
    }

    /// Throws ``SignInError`` 400 if the metadata would become too large.
    private func statements(
        for changes: AdminUserChanges,
        of account: Account,
        by administrator: Administrator,
        _ statements: AccountStatements
    ) throws -> [SQL] {
        let userMetadata = try changes.userMetadata.map { try MetadataLimit.completing($0, of: account) }
        if let appMetadata = changes.appMetadata {
            try MetadataLimit.check(appMetadata, into: account.storedAppMetadata, "app_metadata")
        }
        var list = [statements.update(of: account.id) { changes.set(in: &$0) }]
        if let hash = changes.passwordHash { list += statements.passwordChange(of: account.id, to: hash) }
        if let userMetadata { list.append(statements.userMetadataMerge(userMetadata, of: account.id)) }
        let address = changes.email ?? account.email
        if !address.isEmpty, changes.confirmsEmail || address != account.email {
            let isConfirmed = changes.confirmsEmail || account.isEmailConfirmed
            list += statements.emailChange(of: account, to: address, isConfirmed: isConfirmed)
        }
        let number = changes.phone?.rawValue ?? account.phone
        if !number.isEmpty, changes.confirmsPhone || number != account.phone {
            let isConfirmed = changes.confirmsPhone || account.isPhoneConfirmed
            list += statements.phoneChange(of: account, to: number, isConfirmed: isConfirmed)
        }
        let tables = statements.tables
        list += tables.audit(
            administrator.entry(.modified, account.id, email: address, phone: number),
            of: account.id
        )
        // Whoever knew the old password is out. A ban ends no session: each use is refused until it is over.
        if changes.passwordHash != nil {
            list.append(sessions.ending(.global, of: account.id, session: nil, tables))
        }
        if let seconds = changes.banSeconds {
            list +=
                seconds > 0
                ? sessions.shuttingOut(account.id, banSeconds: seconds, tables) : sessions.lettingIn(account.id, tables)
        }
        return list
    }
}
