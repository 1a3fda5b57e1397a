import SwiftletJSON
import SwiftletPostgres

extension AuditEntry {
    /// A sign-up that waits for the answer to a mail or a text.
    static func confirmationRequest(by provider: String, from address: String) -> AuditEntry {
        AuditEntry(action: .confirmationRequested, traits: ["provider": .string(provider)], address: address)
    }
}

extension AuthAPI {
    /// Writes down that somebody signs up who has an account.
    func noteRepeatedSignUp(of known: Account, by provider: String, from address: String) async throws {
        let entry = AuditEntry(action: .repeatedSignUp, traits: ["provider": .string(provider)], address: address)
        try await accounts.run { $0.audit(entry, of: known.id) }
    }
}
