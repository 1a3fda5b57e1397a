import ArgumentParser
import SwiftletBytes

/// What somebody may have meant by a command that does not exist.
enum CommandSuggestion {
    /// "there is no command statsu: perhaps you meant swiftlet status"; nil if all commands exist.
    static func find(_ arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = SwiftletCommand.self
        var path = ["swiftlet"]
        for argument in arguments {
            let children = command.configuration.subcommands
            // Options, and what a command without others takes, are for the parser.
            guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            if let child = children.first(where: { $0._commandName == argument }) {
                command = child
                path.append(argument)
                continue
            }
            guard command.configuration.defaultSubcommand == nil else { return nil }
            let names = children.map { $0._commandName }
            let start = path.joined(separator: " ")
            let near = NearestName.find(argument, among: names, leastLikeness: 0.5)
            let rest = near.map { "perhaps you meant \(start) \($0)" } ?? "there are \(names.joined(separator: ", "))"
            return "there is no command \(start) \(argument): \(rest)"
        }
        return nil
    }
}
