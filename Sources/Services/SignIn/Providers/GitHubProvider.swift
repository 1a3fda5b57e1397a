import SwiftletAuth
import SwiftletJSON
import SwiftletOutbound

/// Signs in at GitHub, which speaks OAuth without OpenID Connect.
struct GitHubProvider: Sendable {
    private let web: String
    private let api: String
    private let client: ProviderClient
    private let calls: ProviderCalls

    /// `address` is that of GitHub Enterprise; nil for github.com.
    init(address: String?, _ client: ProviderClient, _ http: HTTPEngine) {
        web = address?.withoutTrailingSlash ?? "https://github.com"
        api = address.map { $0.withoutTrailingSlash + "/api/v3" } ?? "https://api.github.com"
        self.client = client
        calls = ProviderCalls(http)
    }

    func authorization(_ attempt: ProviderAttempt, scopes: [String], _ own: [(String, String)]) -> String {
        "\(web)/login/oauth/authorize".withQuery(
            own + [
                ("client_id", client.id), ("redirect_uri", attempt.redirectURI), ("response_type", "code"),
                ("scope", (["user:email"] + client.scopes + scopes).joined(separator: " ")),
                ("state", attempt.state),
            ]
        )
    }

    func identity(
        code: String,
        _ attempt: ProviderAttempt
    ) async throws(ProviderCalls.Failure) -> (VerifiedIdentity, ProviderTokens) {
        let answer = try await calls.post(
            "\(web)/login/oauth/access_token",
            [
                ("client_id", client.id), ("client_secret", client.secretText()), ("code", code),
                ("redirect_uri", attempt.redirectURI),
            ]
        )
        // It answers 200 also to a wrong code.
        guard let access = answer["access_token"]?.string else {
            let error = answer["error"]?.string.map { ": \($0.prefix(100))" } ?? ""
            throw ProviderCalls.Failure(description: "\(web) gives no access token\(error)")
        }
        let user = try await calls.get("\(api)/user", token: access)
        let emails = try await calls.get("\(api)/user/emails", token: access)
        guard let id = user["id"]?.int else { throw ProviderCalls.Failure(description: "\(api)/user names no id") }
        return (
            identity(String(id), user, emails.array ?? []),
            ProviderTokens(access: access, refresh: answer["refresh_token"]?.string)
        )
    }

    private func identity(_ subject: String, _ user: JSONValue, _ emails: [JSONValue]) -> VerifiedIdentity {
        let primary = emails.first { $0["primary"]?.bool == true } ?? emails.first { $0["verified"]?.bool == true }
        let email = primary.flatMap(Self.address)
        let isVerified = email != nil && primary?["verified"]?.bool == true
        var data: JSONObject = [
            "iss": .string(api), "sub": .string(subject), "provider_id": .string(subject), "phone_verified": false,
        ]
        if let email {
            data["email"] = .string(email)
            data["email_verified"] = .bool(isVerified)
        }
        for (name, members) in [
            ("login", ["preferred_username", "user_name"]), ("name", ["name", "full_name"]),
            ("avatar_url", ["avatar_url"]),
        ] {
            guard let text = user[name]?.string, text.utf8.count <= 2048 else { continue }
            for member in members { data[member] = .string(text) }
        }
        return VerifiedIdentity(
            provider: "github",
            subject: subject,
            email: email,
            isEmailVerified: isVerified,
            otherVerifiedEmails: emails.prefix(Self.maximumEmails).filter { $0["verified"]?.bool == true }
                .compactMap(Self.address).filter { $0 != email },
            identityData: data,
            isEmailOptional: client.isEmailOptional
        )
    }

    private static let maximumEmails = 50

    private static func address(_ entry: JSONValue) -> String? {
        entry["email"]?.string.flatMap { MailAddress(rawValue: $0)?.rawValue.lowercased() }
    }
}
