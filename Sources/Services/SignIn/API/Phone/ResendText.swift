import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /resend` with `phone`: sends the text of a sign-up, or the text or the mails of a change, again. The answer
    /// is the same for unknown numbers.
    func resend(_ type: String, byPhone fields: Fields, _ request: Request) async throws -> Response {
        if type == "email_change" { return try await resendChange(ofAccountWith: fields.phone(), request) }
        let texts = try self.texts(for: "logins")
        let channel = try channel(fields)
        guard let number = try fields.phone() else { return .emptyObject }
        return try await texts.limited(to: number, services.client(request)) {
            if type == "phone_change" {
                // By the new number, or by the one that it replaces.
                var account = try await accounts.find(newPhone: number)
                if account == nil { account = try await accounts.find(phone: number) }
                guard let account, account.isActive, let new = account.newPhone.flatMap({ PhoneNumber(typed: $0) })
                else { return .emptyObject }
                if new.rawValue != number.rawValue {
                    try await sendChange(to: new, of: account, by: channel, texts, services.client(request))
                } else {
                    try await texts.send(.phoneChange, to: new, of: account.id, by: channel)
                }
            } else if let account = try await accounts.find(phone: number), account.isActive, !account.isPhoneConfirmed
            {
                let note = AuditEntry(action: .recoveryRequested, address: services.client(request).address)
                try await texts.send(.text, to: number, of: account.id, by: channel) { $0.audit(note, of: account.id) }
            }
            return .emptyObject
        }
    }

    /// The text of a change of the number, again, for the account with this address.
    func resendText(toAccountOf email: String, _ fields: Fields, _ request: Request) async throws -> Response {
        let texts = try self.texts(for: "logins")
        let channel = try channel(fields)
        let client = services.client(request)
        try await services.emailLimits.admit(client)
        return try await texts.pace.keep {
            if let account = try await accounts.find(email: email), account.isActive,
                let number = account.newPhone.flatMap({ PhoneNumber(typed: $0) })
            {
                try await sendChange(to: number, of: account, by: channel, texts, client)
            }
            return .emptyObject
        }
    }

    /// Limits of a number that the request does not name are not told, as they would tell that a change waits.
    private func sendChange(
        to number: PhoneNumber,
        of account: Account,
        by channel: TextChannel,
        _ texts: Texts,
        _ client: ClientInfo
    ) async throws {
        do {
            try await texts.limits.admit(number, client)
        } catch let error as SignInError where error.status == .tooManyRequests {
            return
        }
        try await texts.send(.phoneChange, to: number, of: account.id, by: channel)
    }

    private func resendChange(ofAccountWith number: PhoneNumber?, _ request: Request) async throws -> Response {
        let emails = try self.emails
        guard let number else { return .emptyObject }
        return try await emails.oncePerMinute(.emailChange, number.rawValue) {
            try await services.emailLimits.admit(services.client(request))
            if let account = try await accounts.find(phone: number), account.isActive, let address = account.newEmail {
                try await resendChange(to: address, of: account, nil, redirect: redirect(request))
            }
            return .emptyObject
        }
    }
}
