import SwiftletAuth

/// Who asks for passkeys: the domain that they are made for, and the pages and apps that may use them.
struct RelyingParty: Sendable {
    let settings: PasskeySettings

    /// What is kept of a new credential.
    struct NewCredential: Sendable {
        let id: [UInt8]
        let key: CredentialKey
        let format: AttestationObject.Format
        let model: [UInt8]
        let counter: Int
        let isUserVerified: Bool
        let isBackupEligible: Bool
        let isBackedUp: Bool
        let transports: [String]
    }

    /// What is known of a credential when it is used.
    struct KnownCredential: Sendable {
        let id: [UInt8]
        let key: CredentialKey
        let counter: Int
        let isBackupEligible: Bool
    }

    /// Checks a new credential (WebAuthn §7.1).
    func register(
        _ response: RegistrationResponse,
        answering challenge: [UInt8],
        requiresVerification: Bool
    ) throws(PasskeyFault) -> NewCredential {
        let data = response.attestation.data
        try check(response.client, .create, challenge, data, requiresVerification)
        guard let credential = data.credential else { throw .malformed }
        try Fido.check(
            response.attestation,
            clientHash: response.client.hash,
            relyingParty: settings.relyingPartyID,
            requiresVerification: requiresVerification
        )
        return NewCredential(
            id: credential.id,
            key: credential.key,
            format: response.attestation.format,
            model: credential.model,
            counter: data.counter,
            isUserVerified: data.flags.contains(.userVerified),
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            transports: response.transports
        )
    }

    /// Checks the use of a credential (WebAuthn §7.2), except whose it is.
    func verify(
        _ response: AssertionResponse,
        by credential: KnownCredential,
        answering challenge: [UInt8],
        requiresVerification: Bool
    ) throws(PasskeyFault) {
        guard response.credentialID == credential.id else { throw .unknownCredential }
        try check(response.client, .get, challenge, response.data, requiresVerification)
        try Fido.check(
            response,
            by: credential.key,
            relyingParty: settings.relyingPartyID,
            requiresVerification: requiresVerification
        )
        guard response.data.flags.contains(.backupEligible) == credential.isBackupEligible else {
            throw .changedBackup
        }
        // Zero on both sides: an authenticator that does not count.
        guard response.data.counter > credential.counter || response.data.counter == 0 && credential.counter == 0
        else { throw .clonedCounter }
    }

    private func check(
        _ client: ClientData,
        _ ceremony: ClientData.Ceremony,
        _ challenge: [UInt8],
        _ data: AuthenticatorData,
        _ requiresVerification: Bool
    ) throws(PasskeyFault) {
        guard client.ceremony == ceremony else { throw .wrongType }
        guard !challenge.isEmpty, client.challenge == challenge else { throw .wrongChallenge }
        guard settings.allows(origin: client.origin) else { throw .wrongOrigin }
        guard !client.isCrossOrigin else { throw .crossOrigin }
        guard let hash = try? MessageDigest.sha256(Array(settings.relyingPartyID.utf8)),
            data.relyingPartyHash == hash
        else { throw .wrongRelyingParty }
        guard data.flags.contains(.userPresent) else { throw .userNotPresent }
        guard !requiresVerification || data.flags.contains(.userVerified) else { throw .userNotVerified }
    }
}
