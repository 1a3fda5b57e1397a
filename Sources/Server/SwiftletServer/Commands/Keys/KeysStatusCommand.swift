import ArgumentParser
import SwiftletSignIn

struct KeysStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which key signs, and how far a rotation has gone.",
        discussion: """
            Reads the files; servers use them since their last start or SIGHUP.

            Example:
              swiftlet keys status
            """
    )

    func run() async throws {
        try await Terminal.run {
            let files = try KeyRotationSettings().files
            guard let rotation = try files.record() else {
                let name = try SigningKey(jwk: try files.key()).keyID ?? "-"
                return Terminal.say("\(name) signs; no rotation goes on")
            }
            for line in KeyRotationReport(rotation).lines { Terminal.say(line) }
            if try files.key() != rotation.signing {
                Terminal.say("\(files.keyFile) does not have the key that should sign: repeat the last step")
            }
        }
    }
}
