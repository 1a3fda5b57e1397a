import ArgumentParser
import SwiftletAuth
import SwiftletEssentials
import SwiftletJSON
import SwiftletSignIn

struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace the key that signs tokens, in steps that can be undone.",
        discussion: """
            Works on the file of JWT_SIGNING_KEY and writes a second one beside it, with .rotation at its end. After \
            each step, copy both to all servers and send each of them SIGHUP; then take the next step. No server \
            refuses a valid token on the way. Links to files that the old key has signed end when it is retired, also those \
            that were to last longer than JWT_EXPIRY.

            Examples:
              swiftlet keys rotate             makes the new key, which all accept
              swiftlet keys rotate --switch    lets the new key sign
              swiftlet keys rotate --retire    refuses the old one, after JWT_EXPIRY
              swiftlet keys rotate --undo      takes the last of these steps back
            """
    )

    enum Action: String, EnumerableFlag {
        case prepare, `switch`, retire, undo

        static func help(for value: Action) -> ArgumentHelp? {
            switch value {
            case .prepare: "Make the new key; the default."
            case .switch: "Sign with the new key."
            case .retire: "Refuse the old key's tokens."
            case .undo: "Take the last step back."
            }
        }
    }

    @Flag(help: "What to do.")
    var action = Action.prepare

    @Flag(help: "Do not wait for the end of tokens that will be refused.")
    var now = false

    func run() async throws {
        try await Terminal.run {
            let settings = try KeyRotationSettings()
            let files = settings.files
            let time = Int(Date().timeIntervalSince1970)
            let lifetime = now ? nil : settings.tokenSeconds
            let record = try files.record()
            guard action != .prepare else { return try prepare(files, record, time) }
            guard var rotation = record else {
                throw CommandFailure("no rotation goes on: swiftlet keys rotate begins one")
            }
            try Self.check(files, rotation)
            switch action {
            case .prepare, .switch: try rotation.switchKeys(now: time)
            case .retire:
                try settings.requireAbsence(of: rotation.old)
                try rotation.retire(now: time, lifetime: lifetime)
            case .undo:
                // One that broke off is finished before the next: else the key that signs again would be forgotten.
                if rotation.step == .prepared, try files.key() != rotation.old { break }
                guard try rotation.undo(now: time, lifetime: lifetime) else {
                    try files.remove()
                    return Terminal.say(
                        "the new key is gone; remove \(files.rotationFile) from all servers, then SIGHUP"
                    )
                }
            }
            try files.write(rotation, isUndone: action == .undo)
            Self.tell(rotation, files)
        }
    }

    private func prepare(_ files: KeyRotationFiles, _ record: KeyRotation?, _ time: Int) throws {
        switch record?.step {
        case .switched:
            throw CommandFailure("a rotation goes on: end it with --retire, or take it back with --undo")
        case .prepared:
            break
        case .retired, nil:
            let new = try PrivateKey.makeJWK()
            try files.write(.prepare(old: try files.key(), new: new, now: time))
        }
        guard let rotation = try files.record() else { return }
        Self.tell(rotation, files)
    }

    /// The file's key must be one of the two: somebody may have replaced it by hand.
    private static func check(_ files: KeyRotationFiles, _ rotation: KeyRotation) throws {
        let key = try files.key()
        guard key == rotation.old || key == rotation.new else {
            throw CommandFailure(
                "the key in \(files.keyFile) is neither of those in \(files.rotationFile): remove the latter to begin again"
            )
        }
    }

    private static func tell(_ rotation: KeyRotation, _ files: KeyRotationFiles) {
        for line in KeyRotationReport(rotation).lines { Terminal.say(line) }
        Terminal.say("now: copy \(files.keyFile) and \(files.rotationFile) to all servers, and send each SIGHUP")
        switch rotation.step {
        case .prepared: Terminal.say("then: swiftlet keys rotate --switch")
        case .switched: Terminal.say("then, when the old key's tokens have ended: swiftlet keys rotate --retire")
        case .retired:
            Terminal.say("links to files that the old key has signed end with it, however long they were to last")
        }
    }
}
