import SwiftletPostgres

/// Adds a user: the account in `auth`, and the row in `public.users` unless there is one, or no such table.
struct UserInsertion {
    let tables: UserTables

    /// Returns the account's id. Throws ``CommandFailure`` if there is an account, or no such tenant or role.
    func insert(_ user: NewUser) throws -> String {
        try tables.inTransaction {
            guard try tables.accounts(user.name).isEmpty else {
                throw CommandFailure(
                    "\(user.name) has an account already; a new password: swiftlet users set-password \(user.name)"
                )
            }
            var person: Person?
            if let address = user.name.address { person = try self.person(address) }
            let membership = try membership(user, person)
            // The same id in both tables, because rows refer to users by the token's subject.
            let id = try identifier(person?.id)
            try insertAccount(user, id: id, membership)
            if let person {
                try update(person.id, user, membership)
            } else if membership.tenant != nil, tables.hasPeople {
                try insertPerson(user, id: id, membership)
            }
            return id
        }
    }

    private typealias Person = (id: String, tenant: String?, team: String?, role: String?)

    private func person(_ email: String) throws -> Person? {
        guard tables.hasPeople else { return nil }
        let row = try tables.query(
            "SELECT id, tenant_id, team_id, role_id FROM public.users WHERE lower(email) = $1 ORDER BY created_at LIMIT 1",
            [email]
        ).first
        return row.map { ($0[0] ?? "", $0[1], $0[2], $0[3]) }
    }

    private func membership(_ user: NewUser, _ person: Person?) throws -> NewUser.Membership {
        var membership = NewUser.Membership(tenant: user.tenant ?? person?.tenant, team: user.team ?? person?.team)
        membership.roleID = person?.role
        if let tenant = membership.tenant { try require(tenant: tenant, makes: user.makesTenant) }
        if let code = user.roleCode {
            membership.roleID = try role(code)
        } else if let level = user.roleLevel, tables.hasRoles, person != nil || membership.tenant != nil {
            membership.roleID = try role(ofLevel: level)
        }
        membership.roleLevel = try user.roleLevel ?? membership.roleID.flatMap(level(ofRole:))
        return membership
    }

    private func role(_ code: String) throws -> String? {
        guard tables.hasRoles else {
            throw CommandFailure("this database has no table roles: give --role-level instead of --role")
        }
        let found = try tables.query("SELECT id FROM public.roles WHERE lower(code) = lower($1)", [code])
        if let role = found.first { return role[0] }
        let known = try tables.query("SELECT code FROM public.roles ORDER BY level, code LIMIT 50")
        let codes = known.compactMap { $0[0] }.joined(separator: ", ")
        throw CommandFailure(
            codes.isEmpty
                ? "there is no role \(code), as the table roles is empty: insert it there, or give --role-level"
                : "there is no role \(code); there are: \(codes)"
        )
    }

    private func level(ofRole id: String) throws -> Int? {
        guard tables.hasRoles else { return nil }
        return try tables.query("SELECT level FROM public.roles WHERE id::text = $1", [id]).first?[0].flatMap {
            Int($0)
        }
    }

    /// The role `LEVEL_n`, created when first needed: at sign-in, the level comes from the role in `public.users`.
    private func role(ofLevel level: Int) throws -> String? {
        let code = "LEVEL_\(level)"
        let find = "SELECT id FROM public.roles WHERE code = $1"
        if let role = try tables.query(find, [code]).first { return role[0] }
        try tables.insert(
            "public.roles",
            [("name", "Level \(level)"), ("code", code), ("department", "general"), ("level", String(level))]
        )
        return try tables.query(find, [code]).first?[0]
    }

    private func require(tenant: String, makes: Bool) throws {
        if makes {
            guard tables.hasTenants else {
                throw CommandFailure("this database has no table tenants: leave --create-tenant away")
            }
            try tables.query(
                "INSERT INTO public.tenants (id, name, slug) VALUES ($1, $1, $1) ON CONFLICT DO NOTHING",
                [tenant]
            )
        }
        guard try !tables.has(tenant: tenant) else { return }
        let known = try tables.query("SELECT id FROM public.tenants ORDER BY id LIMIT 20").compactMap { $0[0] }
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw CommandFailure("there is no tenant \(tenant); there are: \(list); --create-tenant creates it")
    }

    private func identifier(_ wanted: String?) throws -> String {
        let rows = try tables.query(
            """
            SELECT CASE WHEN $1 ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
                AND NOT EXISTS (SELECT FROM auth.users WHERE id::text = lower($1)) THEN lower($1)
                ELSE gen_random_uuid()::text END
            """,
            [wanted]
        )
        return rows.first?[0] ?? ""
    }

    private func insertAccount(_ user: NewUser, id: String, _ membership: NewUser.Membership) throws {
        let now = "now"
        try tables.insert(
            "auth.users",
            [
                ("instance_id", "00000000-0000-0000-0000-000000000000"), ("id", id), ("aud", "authenticated"),
                ("role", "authenticated"), ("email", user.name.address), ("phone", user.name.number),
                ("encrypted_password", user.passwordHash), ("email_confirmed_at", user.name.address.map { _ in now }),
                ("phone_confirmed_at", user.name.number.map { _ in now }), ("confirmation_token", ""),
                ("recovery_token", ""),
                ("email_change_token_new", ""), ("email_change", ""),
                ("raw_app_meta_data", user.appMetadata(membership)),
                ("raw_user_meta_data", user.userMetadata), ("created_at", now), ("updated_at", now),
            ]
        )
        // Before 2023 the provider's id was the key itself.
        let isNew = tables.has("auth.identities", "provider_id")
        try tables.insert(
            "auth.identities",
            [
                (isNew ? "provider_id" : "id", id), ("user_id", id), ("identity_data", user.identityData(id: id)),
                ("provider", user.provider), ("last_sign_in_at", now), ("created_at", now), ("updated_at", now),
            ]
        )
    }

    private func insertPerson(_ user: NewUser, id: String, _ membership: NewUser.Membership) throws {
        try tables.insert(
            "public.users",
            [
                ("id", id), ("tenant_id", membership.tenant), ("email", user.name.address),
                ("first_name", user.firstName),
                ("last_name", user.lastName), ("role_id", membership.roleID), ("team_id", membership.team),
                ("is_platform_user", user.isPlatformUser ? "true" : "false"), ("is_active", "true"),
            ]
        )
    }

    /// Sets the given columns; the others keep their values.
    private func update(_ id: String, _ user: NewUser, _ membership: NewUser.Membership) throws {
        let cells: [(StaticString, String?)] = [
            ("tenant_id", membership.tenant), ("role_id", membership.roleID), ("team_id", membership.team),
            ("first_name", user.firstName), ("last_name", user.lastName),
            ("is_platform_user", user.isPlatformUser ? "true" : nil), ("is_active", "true"),
        ]
        for (column, value) in cells {
            guard let value, tables.has("public.users", column) else { continue }
            try tables.query("UPDATE public.users SET \(column) = $1 WHERE id::text = $2", [value, id])
        }
    }
}
