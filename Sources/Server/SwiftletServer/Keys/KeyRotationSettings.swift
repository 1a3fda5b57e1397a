import SwiftletAuth
import SwiftletJSON
import SwiftletSignIn

/// The settings that a rotation of keys needs, without those of a database.
struct KeyRotationSettings {
    let files: KeyRotationFiles
    /// How long access tokens last (`JWT_EXPIRY`).
    let tokenSeconds: Int
    private let keys: PublishedKeys.Place?

    init() throws {
        var reader = SettingsReader(try Environment.current())
        let tokens = TokenSettings(&reader)
        tokenSeconds = reader.integer("JWT_EXPIRY", default: 3600, in: 30...604_800)
        try reader.finish()
        guard let file = tokens.signingKeyFile else {
            throw CommandFailure(
                "JWT_SIGNING_KEY names no file: make a key with: swiftlet keys make key.json, then set "
                    + "JWT_SIGNING_KEY=key.json (see docs/sign-in.md, Keys)"
            )
        }
        files = KeyRotationFiles(key: file)
        keys = tokens.keys
    }

    /// Refuses to retire a key that stays in the set of `JWT_JWKS`, from where it would be accepted all the same.
    func requireAbsence(of key: JSONValue) throws(CommandFailure) {
        guard case .file(let path) = keys, let set = try? PublishedKeys.read(file: path),
            let old = try? SigningKey(jwk: key).keyID, set.keys.contains(where: { $0.keyID == old })
        else { return }
        throw CommandFailure("\(path) (JWT_JWKS) has the old key \(old) too: remove it there first")
    }
}
