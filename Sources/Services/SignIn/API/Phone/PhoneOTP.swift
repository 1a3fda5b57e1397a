import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /otp` with `phone`: sends a text with a code to sign in with. The answer tells neither whether there is an
    /// account nor whether one was made.
    func phoneOTP(_ fields: Fields, _ request: Request) async throws -> Response {
        let texts = try self.texts(for: "logins")
        guard try fields.text("email") == nil else {
            throw SignInError.invalid("Only an email address or phone number should be provided")
        }
        let channel = try channel(fields)
        guard let number = try fields.phone() else { throw SignInError.invalid("One of email or phone must be set") }
        let mayCreate = try (fields.bool("create_user") ?? true) && !settings.isSignUpDisabled
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        let client = services.client(request)
        // For all numbers, as a limit for new ones alone would tell them apart.
        if mayCreate { try await services.signUpLimits.admit(address: client.address) }
        return try await texts.pace.keep {
            let known = try await accounts.find(phone: number)
            // Whoever signs up with somebody else's number must not keep a password to what its owner opens, be it with
            // the code of the text that the sign-up sent.
            if let known, !known.isConfirmed { try await accounts.removePassword(ofUnconfirmed: known.id) }
            try await texts.limits.admit(number, client)
            if let known {
                if known.isActive {
                    let note = AuditEntry(action: .recoveryRequested, address: client.address)
                    try await texts.send(.text, to: number, of: known.id, by: channel) { $0.audit(note, of: known.id) }
                }
                return .emptyObject
            }
            guard mayCreate else { return .emptyObject }
            var new = Self.newAccount(number, data)
            new.clientAddress = client.address
            try await services.hooks.admit(new, from: client.address)
            do {
                let account = new
                let note = AuditEntry.confirmationRequest(by: "phone", from: client.address)
                try await texts.send(.text, to: number, of: account.id, by: channel) {
                    $0.statements.insertion(of: account) + $0.audit(note, of: account.id)
                }
            } catch let error as PostgresError where error.isDuplicateAccount {
                // A concurrent request has created the account and sends the text.
            }
            return .emptyObject
        }
    }

    /// An account that signs in with a phone number.
    static func newAccount(_ number: PhoneNumber, _ data: JSONObject) -> NewAccount {
        var new = NewAccount()
        new.phone = number.rawValue
        new.appMetadata = ["provider": "phone", "providers": ["phone"]]
        new.userMetadata = data
        new.userMetadata["email_verified"] = false
        new.userMetadata["phone_verified"] = false
        new.userMetadata["sub"] = .string(new.id)
        new.identities = [.phone(number.rawValue, of: new.id, isVerified: false)]
        return new
    }

    /// Throws ``SignInError`` 400 if nobody sends texts. `purpose` is one of ``SignInError/noPhone(_:)``.
    func texts(for purpose: String) throws(SignInError) -> Texts {
        guard let texts = services.texts else { throw SignInError.noPhone(purpose) }
        return texts
    }

    /// What the code is to be sent by. Throws ``SignInError`` 400 for a word that is none of the two.
    func channel(_ fields: Fields) throws -> TextChannel {
        guard let channel = try TextChannel(rawValue: fields.text("channel") ?? "sms") else {
            throw SignInError.invalid(
                "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or "
                    + "Twilio Verify is used as the provider."
            )
        }
        return channel
    }
}
