import SwiftletAuth
import SwiftletPostgres

extension OneTimeTokens {
    /// The text's code, and what names it in the hook's log; nil once it is of no use.
    func open(_ text: QueuedText) async throws -> (code: String, id: String)? {
        if let factor = text.factorID {
            guard try await isOpen(challenge: text.nonce, of: factor) else { return nil }
            return (try code(ofChallenge: text.nonce, number: text.number), text.nonce)
        }
        for key in keys.codeKeys {
            let token = try OneTimeToken.derive(key, text.purpose, address: text.number, nonce: text.nonce)
            if try await isValid(token, of: text.userID, text.purpose) { return (token.code, token.hash) }
        }
        return nil
    }

    // MARK: Second factors

    /// The code that answers a challenge, sent to `number`. Like the others it is derived from what is stored and from a
    /// key that is not.
    private func code(ofChallenge id: String, number: String) throws(KeyError) -> String {
        try OneTimeToken.code(keys.codeKey, .phoneReauthentication, hash: id, address: number)
    }

    /// Whether the code answers the challenge.
    func isCode(_ code: String, ofChallenge id: String, number: String) throws(KeyError) -> Bool {
        try isCode(code, .phoneReauthentication, hash: id, address: number)
    }

    private func isOpen(challenge: String, of factor: String) async throws -> Bool {
        let rows = try await accounts.database.query(
            """
            SELECT 1 FROM auth.mfa_challenges
            WHERE id = \(challenge) AND factor_id = \(factor) AND verified_at IS NULL
            """
        )
        return !rows.isEmpty
    }
}
