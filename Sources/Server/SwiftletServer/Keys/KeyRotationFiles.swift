import SwiftletEssentials
import SwiftletJSON
import SwiftletSignIn

/// The file of the signing key, and beside it the one of its rotation, with both keys.
struct KeyRotationFiles: Sendable {
    let keyFile: String
    var rotationFile: String { keyFile + ".rotation" }

    private static let maximumBytes = 1 << 18

    init(key: String) { keyFile = key }

    /// nil while no rotation has begun.
    func record() throws(ConfigurationError) -> KeyRotation? {
        guard FileManager.default.fileExists(atPath: rotationFile) else { return nil }
        guard let rotation = Self.json(rotationFile).flatMap({ KeyRotation($0) }) else {
            throw ConfigurationError(["JWT_SIGNING_KEY: \(rotationFile) is not a rotation that can be read"])
        }
        return rotation
    }

    /// The keys whose tokens are accepted beside those of the key file, for now. Throws for a record of other keys than the
    /// file's, which are then nobody's any more.
    func acceptedKeys() throws(ConfigurationError) -> [SigningKey] {
        guard let rotation = try record() else { return [] }
        guard let key = Self.json(keyFile), key == rotation.old || key == rotation.new else {
            throw ConfigurationError([
                "JWT_SIGNING_KEY: the key in \(keyFile) is neither of those in \(rotationFile), which is ignored: remove it"
            ])
        }
        return rotation.acceptedKeys
    }

    /// The private key in its file.
    func key() throws(CommandFailure) -> JSONValue {
        guard let json = Self.json(keyFile), (try? SigningKey(jwk: json)) != nil else {
            throw CommandFailure("\(keyFile) is not a private JWK that can be read: make one with: swiftlet keys make")
        }
        return json
    }

    /// Writes the record first, or what signs if a step `isUndone`: whatever breaks off between them is finished by the
    /// same command again.
    func write(_ rotation: KeyRotation, isUndone: Bool = false) throws(CommandFailure) {
        if isUndone { try writeKey(rotation) }
        try Self.write(rotation.json, to: rotationFile, like: keyFile)
        if !isUndone { try writeKey(rotation) }
    }

    private func writeKey(_ rotation: KeyRotation) throws(CommandFailure) {
        if try key() != rotation.signing { try Self.write(rotation.signing, to: keyFile, like: keyFile) }
    }

    /// Forgets the rotation.
    func remove() throws(CommandFailure) {
        do {
            try FileManager.default.removeItem(atPath: rotationFile)
        } catch {
            throw CommandFailure("\(rotationFile) cannot be removed: \(error.reason)")
        }
    }

    private static func json(_ path: String) -> JSONValue? {
        guard let data = FileManager.default.contents(atPath: path), data.count <= maximumBytes else { return nil }
        return try? JSONParser.parse(Array(data))
    }

    /// Replaces the file at once, for its owner alone; with the owner, group and mode of `other` if that is there.
    static func write(_ json: JSONValue, to path: String, like other: String?) throws(CommandFailure) {
        do {
            try SecretFile.write(json.description + "\n", to: path, like: other)
        } catch {
            throw CommandFailure("\(path) cannot be written: \(error.reason)")
        }
    }
}
