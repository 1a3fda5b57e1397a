import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// The challenges of clients that have requested a mail, in GoTrue's table `auth.flow_state`.
///
/// A link that is bound to a challenge leads to a code, which is stored with the challenge from the start but is of no
/// use until the link is followed. Statements lock the account's row before rows of this table.
struct FlowStates: Sendable {
    /// A code can be exchanged within this time after the link was followed.
    static let lifetimeSeconds = 300
    /// After which rows are deleted, longer than any link is valid.
    private static let retentionSeconds = 86_400
    private static let sweptAtOnce = 100

    private let transaction: AccountTransaction

    init(in transaction: AccountTransaction) { self.transaction = transaction }

    // MARK: The request for a mail

    /// Stores the challenge of the token that has just been made, if there is one, in place of those whose tokens it
    /// has replaced. Also deletes some old rows.
    func replace(by challenge: CodeChallenge?, for purpose: MailPurpose, of userID: String) async throws {
        guard transaction.tables.hasFlowStates else { return }
        // Purposes share columns for their tokens, and whoever has a link can change the type in it.
        let methods = MailPurpose.allCases.filter { $0.tokenColumn.description == purpose.tokenColumn.description }
            .map(\.authenticationMethod)
        var statements: [SQL] = [
            """
            DELETE FROM auth.flow_state
            WHERE user_id = \(userID) AND authentication_method = ANY(\(methods)) AND auth_code_issued_at IS NULL
            """
        ]
        if let challenge {
            statements.append(insertion(challenge, purpose, userID))
            statements.append(
                """
                DELETE FROM auth.flow_state WHERE id IN (
                    SELECT id FROM auth.flow_state
                    WHERE created_at < now() - \(Self.retentionSeconds) * interval '1 second'
                    ORDER BY created_at LIMIT \(Self.sweptAtOnce) FOR UPDATE SKIP LOCKED
                )
                """
            )
        }
        try await transaction.run(statements)
    }

    /// Binds the link that was sent last to another challenge, unless it was sent without one or has been followed.
    func renew(_ challenge: CodeChallenge, for purpose: MailPurpose, of userID: String) async throws {
        guard transaction.tables.hasFlowStates else { return }
        try await transaction.run([
            AccountStatements.lock(on: userID),
            """
            UPDATE auth.flow_state SET code_challenge = \(challenge.text),
                code_challenge_method = \(challenge.method.rawValue), updated_at = now()
            WHERE id = (
                SELECT id FROM auth.flow_state
                WHERE user_id = \(userID) AND authentication_method = \(purpose.authenticationMethod)
                    AND auth_code_issued_at IS NULL
                ORDER BY created_at DESC LIMIT 1
            )
            """,
        ])
    }

    private func insertion(_ challenge: CodeChallenge, _ purpose: MailPurpose, _ userID: String) -> SQL {
        var row = RowValues("flow_state", transaction.tables.auth)
        row.set("id", "gen_random_uuid()")
        row.set("user_id", "\(userID)")
        row.set("auth_code", "\(RandomID.make())")
        row.set("code_challenge_method", "\(challenge.method.rawValue)")
        row.set("code_challenge", "\(challenge.text)")
        row.set("provider_type", "'email'")
        row.set("authentication_method", "\(purpose.authenticationMethod)")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }

    // MARK: The link

    /// The code for the client that requested the mail. Throws ``SignInError`` 404 `flow_state_not_found`.
    func issueCode(for purpose: MailPurpose, of userID: String) async throws -> String {
        guard transaction.tables.hasFlowStates else { throw SignInError.noFlowState }
        let rows = try await transaction.query(
            """
            UPDATE auth.flow_state SET auth_code_issued_at = now(), updated_at = now() WHERE id = (
                SELECT id FROM auth.flow_state
                WHERE user_id = \(userID) AND authentication_method = \(purpose.authenticationMethod)
                    AND auth_code_issued_at IS NULL
                ORDER BY created_at DESC LIMIT 1
            ) RETURNING auth_code
            """
        )
        guard let row = rows.first else { throw SignInError.noFlowState }
        return try row.decode(String.self, "auth_code")
    }

    // MARK: The exchange

    /// An exchange that is allowed: the account, and the statement that makes the code useless.
    struct Exchange: Sendable {
        let userID: String
        let method: AuthenticationMethod
        /// Of a sign-in at a provider.
        let providerTokens: ProviderTokens?
        let end: SQL
    }

    /// Checks the code and the verifier, and locks both the account and the code until the transaction ends. Throws
    /// ``SignInError`` 404 `flow_state_not_found`, 422 `flow_state_expired` or 400 `bad_code_verifier`.
    func exchange(code: String, verifier: String) async throws -> Exchange {
        guard transaction.tables.hasFlowStates, let code = RandomID.normalized(code) else {
            throw SignInError.noFlowState
        }
        // Codes of other sign-in methods, if GoTrue has served this database, are not ours to exchange.
        let methods = MailPurpose.allCases.map(\.authenticationMethod) + [AuthenticationMethod.oauth.rawValue]
        let condition: SQL = """
            auth_code = \(code) AND authentication_method = ANY(\(methods))
                AND auth_code_issued_at IS NOT NULL
            """
        let owners = try await transaction.query(
            "SELECT user_id::text AS id FROM auth.flow_state WHERE \(condition) AND user_id IS NOT NULL"
        )
        guard let userID = try owners.first?.decode(String.self, "id") else { throw SignInError.noFlowState }
        var group = StatementGroup([AccountStatements.lock(on: userID)])
        let challenge = group.append(
            """
            SELECT id::text AS id, code_challenge, code_challenge_method::text AS method, authentication_method,
                provider_access_token, provider_refresh_token,
                auth_code_issued_at > now() - \(Self.lifetimeSeconds) * interval '1 second' AS is_fresh
            FROM auth.flow_state WHERE \(condition) AND user_id = \(userID) FOR UPDATE
            """
        )
        guard let row = try await transaction.run(group)[challenge].first else { throw SignInError.noFlowState }
        guard try row.decode(Bool.self, "is_fresh") else { throw SignInError.expiredFlowState }
        guard let text = row["code_challenge"], let method = row["method"].flatMap(CodeChallenge.Method.init),
            try CodeChallenge(text: text, method: method).isMade(of: verifier)
        else { throw SignInError.wrongVerifier }
        let id = try row.decode(String.self, "id")
        let isOfProvider = row["authentication_method"] == AuthenticationMethod.oauth.rawValue
        return Exchange(
            userID: userID,
            method: isOfProvider ? .oauth : .otp,
            providerTokens: isOfProvider
                ? row["provider_access_token"].map { access in
                    ProviderTokens(access: access, refresh: row["provider_refresh_token"])
                } : nil,
            end: "DELETE FROM auth.flow_state WHERE id = \(id)"
        )
    }

    // MARK: Sign-in at a provider

    /// Inserts a code that can be exchanged from now on, with the provider's tokens for then.
    static func insertion(
        ofCode code: String,
        _ challenge: CodeChallenge,
        of userID: String,
        provider: String,
        _ tokens: ProviderTokens,
        _ tables: AccountTables
    ) -> SQL {
        var row = RowValues("flow_state", tables.auth)
        row.set("id", "gen_random_uuid()")
        row.set("user_id", "\(userID)")
        row.set("auth_code", "\(code)")
        row.set("code_challenge_method", "\(challenge.method.rawValue)")
        row.set("code_challenge", "\(challenge.text)")
        row.set("provider_type", "\(provider)")
        row.set("provider_access_token", "\(tokens.access)")
        row.set("provider_refresh_token", "\(tokens.refresh ?? "")")
        row.set("authentication_method", "\(AuthenticationMethod.oauth.rawValue)")
        row.set("auth_code_issued_at", "now()")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }
}

extension MailPurpose {
    /// The `authentication_method` of `auth.flow_state`.
    fileprivate var authenticationMethod: String {
        switch self {
        case .confirmation: "email/signup"
        case .recovery: "recovery"
        case .magicLink: "magiclink"
        case .invitation: "invite"
        case .emailChange, .emailChangeCurrent: "email_change"
        case .reauthentication, .phoneReauthentication: "reauthentication"
        case .text: "sms"
        case .phoneChange: "phone_change"
        }
    }
}

extension SignInError {
    fileprivate static let noFlowState = SignInError(
        .notFound,
        "flow_state_not_found",
        "invalid flow state, no valid flow state found"
    )
    fileprivate static let expiredFlowState = SignInError(
        .unprocessableContent,
        "flow_state_expired",
        "invalid flow state, flow state has expired"
    )
    fileprivate static let wrongVerifier = SignInError(
        .badRequest,
        "bad_code_verifier",
        "code challenge does not match previously saved code verifier"
    )
}
