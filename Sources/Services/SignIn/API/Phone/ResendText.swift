import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// `POST /resend` with `phone`: sends the text of a sign-up, or of a change to this number, again. The answer is
    /// the same for unknown numbers.
    func resendText(_ fields: Fields, type: String, _ request: Request) async throws -> Response {
        guard try fields.text("phone") != nil else {
            throw SignInError.invalid("Type provided requires a phone number")
        }
        guard try fields.text("email") == nil else {
            throw SignInError.invalid("Only an email address or phone number should be provided.")
        }
        let texts = try self.texts(for: "logins")
        let channel = try channel(fields)
        guard let number = try fields.phone() else { return .emptyObject }
        return try await texts.limited(to: number, services.client(request)) {
            let isChange = type == "phone_change"
            let account = try await isChange ? accounts.find(newPhone: number) : accounts.find(phone: number)
            if let account, account.isActive, isChange || !account.isPhoneConfirmed {
                try await texts.send(isChange ? .phoneChange : .text, to: number, of: account.id, by: channel)
            }
            return .emptyObject
        }
    }
}
