/// Why what an authenticator or its client has sent does not count.
enum PasskeyFault: Error, Hashable, CustomStringConvertible {
    /// Not of the form that WebAuthn prescribes, or too large.
    case malformed
    /// Made for something else than what was asked for.
    case wrongType
    case wrongChallenge
    /// Made on a page or in an app that is none of ours.
    case wrongOrigin
    /// Made in a frame of another site's page.
    case crossOrigin
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified
    case unsupportedAlgorithm
    case unsupportedAttestation
    case wrongSignature
    /// The counter of signatures has gone back: there may be a copy of the key.
    case clonedCounter
    /// It says otherwise than before whether it may be copied to other devices.
    case changedBackup
    /// Of another account, or of none.
    case unknownCredential

    var description: String {
        switch self {
        case .malformed: "the credential is malformed"
        case .wrongType: "the credential is of another type"
        case .wrongChallenge: "it answers another challenge"
        case .wrongOrigin: "its origin is not among the allowed ones"
        case .crossOrigin: "it was made in a frame of another site"
        case .wrongRelyingParty: "it was made for another relying party"
        case .userNotPresent: "its user was not present"
        case .userNotVerified: "its user was not verified"
        case .unsupportedAlgorithm: "its algorithm is not supported"
        case .unsupportedAttestation: "its attestation is not supported"
        // No more than that of what depends on stored keys.
        case .wrongSignature, .clonedCounter, .changedBackup, .unknownCredential: "the credential is not valid"
        }
    }
}
