public import Foundation

/// A new passkey, as a device has made it (Web Authentication Level 3 §5.2.1).
public struct PasskeyRegistration: Sendable {
    public var credentialID: Data
    public var clientData: Data
    public var attestation: Data
    /// How the device can be reached, such as `internal` and `hybrid`.
    public var transports: [String]

    public init(credentialID: Data, clientData: Data, attestation: Data, transports: [String] = ["internal", "hybrid"])
    {
        self.credentialID = credentialID
        self.clientData = clientData
        self.attestation = attestation
        self.transports = transports
    }

    /// In the form of the browsers' `toJSON`.
    var members: [String: Any] {
        PasskeyMembers.credential(
            credentialID,
            [
                "clientDataJSON": clientData.base64URL, "attestationObject": attestation.base64URL,
                "transports": transports,
            ]
        )
    }
}

/// A signature by a passkey (Web Authentication Level 3 §5.2.2).
public struct PasskeyAssertion: Sendable {
    public var credentialID: Data
    public var clientData: Data
    public var authenticatorData: Data
    public var signature: Data
    /// What the passkey calls the account.
    public var userID: Data

    public init(credentialID: Data, clientData: Data, authenticatorData: Data, signature: Data, userID: Data) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userID = userID
    }

    /// In the form of the browsers' `toJSON`.
    var members: [String: Any] {
        PasskeyMembers.credential(
            credentialID,
            [
                "clientDataJSON": clientData.base64URL, "authenticatorData": authenticatorData.base64URL,
                "signature": signature.base64URL, "userHandle": userID.base64URL,
            ]
        )
    }
}

private enum PasskeyMembers {
    static func credential(_ id: Data, _ response: [String: Any]) -> [String: Any] {
        [
            "id": id.base64URL, "rawId": id.base64URL, "type": "public-key", "response": response,
            "clientExtensionResults": [String: Any](), "authenticatorAttachment": "platform",
        ]
    }
}

#if canImport(AuthenticationServices)
public import AuthenticationServices

extension PasskeyRegistrationOptions {
    /// For an `ASAuthorizationController`. The app needs the domain among its associated domains, as `webcredentials:`.
    public var request: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: relyingPartyID)
            .createCredentialRegistrationRequest(challenge: challenge, name: userName, userID: userID)
    }
}

extension PasskeySignInOptions {
    /// For an `ASAuthorizationController`. The app needs the domain among its associated domains, as `webcredentials:`.
    public var request: ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: relyingPartyID)
            .createCredentialAssertionRequest(challenge: challenge)
    }
}

extension PasskeyRegistration {
    /// nil where the system has attested nothing.
    public init?(_ credential: ASAuthorizationPlatformPublicKeyCredentialRegistration) {
        guard let attestation = credential.rawAttestationObject else { return nil }
        self.init(
            credentialID: credential.credentialID,
            clientData: credential.rawClientDataJSON,
            attestation: attestation
        )
    }
}

extension PasskeyAssertion {
    public init(_ credential: ASAuthorizationPlatformPublicKeyCredentialAssertion) {
        self.init(
            credentialID: credential.credentialID,
            clientData: credential.rawClientDataJSON,
            authenticatorData: credential.rawAuthenticatorData,
            signature: credential.signature,
            userID: credential.userID
        )
    }
}
#endif
