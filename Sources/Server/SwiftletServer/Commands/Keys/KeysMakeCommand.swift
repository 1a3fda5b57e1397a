import ArgumentParser
import SwiftletAuth
import SwiftletEssentials
import SwiftletSignIn

struct KeysMakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "make",
        abstract: "Write a new private key for JWT_SIGNING_KEY into a file.",
        discussion: """
            The key is for ES256, and the file for its owner alone. A file that is there is left as it is.

            Example:
              swiftlet keys make /etc/swiftlet/key.json
            """
    )

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    func run() async throws {
        try await Terminal.run {
            guard !FileManager.default.fileExists(atPath: file) else {
                throw CommandFailure("\(file) is there already: replace its key with: swiftlet keys rotate")
            }
            let key = try PrivateKey.makeJWK()
            try KeyRotationFiles.write(key, to: file, like: nil)
            Terminal.say("\(file) has the key \(try SigningKey(jwk: key).keyID ?? "-"); set JWT_SIGNING_KEY=\(file)")
        }
    }
}
