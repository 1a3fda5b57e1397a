import Foundation
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

    /// The private key in its file.
    func key() throws(CommandFailure) -> JSONValue {
        guard let json = Self.json(keyFile), (try? SigningKey(jwk: json)) != nil else {
            throw CommandFailure("\(keyFile) is not a private JWK that can be read: make one with: swiftlet keys make")
        }
        return json
    }

    /// Writes the record first: whatever breaks off after it is finished by the same command again.
    func write(_ rotation: KeyRotation) throws(CommandFailure) {
        try Self.write(rotation.json, to: rotationFile, like: keyFile)
        if try key() != rotation.signing { try Self.write(rotation.signing, to: keyFile, like: keyFile) }
    }

    /// Forgets the rotation.
    func remove() throws(CommandFailure) {
        do {
            try FileManager.default.removeItem(atPath: rotationFile)
        } catch {
            throw CommandFailure("\(rotationFile) cannot be removed: \(error.localizedDescription)")
        }
    }

    private static func json(_ path: String) -> JSONValue? {
        guard let data = FileManager.default.contents(atPath: path), data.count <= maximumBytes else { return nil }
        return try? JSONParser.parse(Array(data))
    }

    /// Replaces the file at once, for its owner alone; with the owner, group and mode of `other` if that is there.
    static func write(_ json: JSONValue, to path: String, like other: String?) throws(CommandFailure) {
        let files = FileManager.default
        let draft = "\(path).new"
        do {
            var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            if let other, let found = try? files.attributesOfItem(atPath: other) {
                for name in [FileAttributeKey.posixPermissions, .ownerAccountID, .groupOwnerAccountID] {
                    attributes[name] = found[name]
                }
            }
            try? files.removeItem(atPath: draft)
            // With the narrow mode first: what is in it is secret from the first byte.
            let content = Data((json.description + "\n").utf8)
            guard files.createFile(atPath: draft, contents: content, attributes: [.posixPermissions: 0o600]) else {
                throw CocoaError(.fileWriteNoPermission)
            }
            try files.setAttributes(attributes, ofItemAtPath: draft)
            guard unsafe rename(draft, path) == 0 else { throw CocoaError(.fileWriteNoPermission) }
        } catch {
            try? files.removeItem(atPath: draft)
            throw CommandFailure("\(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
