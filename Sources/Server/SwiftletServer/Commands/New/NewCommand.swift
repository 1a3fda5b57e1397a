import ArgumentParser
import SwiftletEssentials
import SwiftletMigrations

struct NewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Begin a backend of your own, or a function in it.",
        discussion: """
            Examples:
              swiftlet new my-backend --path ../swiftlet
              swiftlet new function vans
            """,
        subcommands: [Package.self, Function.self],
        defaultSubcommand: Package.self
    )

    struct Package: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a package with one function, its table and its test.",
            discussion: """
                Example:
                  swiftlet new my-backend --path ../swiftlet
                """
        )

        @Argument(help: "The package's name, and the new folder's.")
        var name: String

        @Option(help: "From the new folder to Swiftlet's.")
        var path = "../swiftlet"

        func run() async throws {
            try await Terminal.run {
                let template = try ProjectTemplate(name: name, swiftlet: path)
                guard !FileManager.default.fileExists(atPath: name) else {
                    throw CommandFailure("\(name) is there already")
                }
                for file in template.files { try NewCommand.write(file.text, to: "\(name)/\(file.path)") }
                Terminal.say("Written: \(name)/. Now: cd \(name) && swift test")
                if !FileManager.default.fileExists(atPath: path.hasPrefix("/") ? path : "\(name)/\(path)") {
                    Terminal.warn("there is no Swiftlet at \(path): change the path in \(name)/Package.swift")
                }
            }
        }
    }

    struct Function: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write a function with a table and a test, in the folder of a package.",
            discussion: """
                Example:
                  swiftlet new function vans
                """
        )

        @Argument(help: "The function's name, which is its path as well.")
        var name: String

        func run() async throws {
            try await Terminal.run {
                let template = try FunctionTemplate(name)
                let module = try Self.module()
                let source = "Sources/\(module)/\(template.type).swift"
                guard !FileManager.default.fileExists(atPath: source) else {
                    throw CommandFailure("\(source) is there already")
                }
                let migration = try MigrationFolder.find(nil).create(template.table)
                try NewCommand.write(template.source, to: source)
                try NewCommand.write(template.migration, to: migration)
                let test = "Tests/\(module)Tests/\(template.type)Tests.swift"
                try NewCommand.write(template.test(module: module), to: test)
                Terminal.say("Written: \(source), \(test), \(migration)")
                try list(template.variable, in: "Sources/\(module)/Backend.swift")
            }
        }

        /// The target whose folder has the app.
        private static func module() throws -> String {
            let folders = (try? FileManager.default.contentsOfDirectory(atPath: "Sources")) ?? []
            let modules = folders.filter { FileManager.default.fileExists(atPath: "Sources/\($0)/Backend.swift") }
            guard modules.count == 1 else {
                throw CommandFailure("no Sources/…/Backend.swift here: run it in the folder of a package of `new`")
            }
            return modules[0]
        }

        /// Adds the function to the app's list, if that looks as it was written.
        private func list(_ variable: String, in file: String) throws {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            guard let start = text.firstRange(of: "let functions: [Function] = ["),
                let end = text[start.upperBound...].firstIndex(of: "]")
            else { return Terminal.say("Now add \(variable) to the functions of your app.") }
            let isEmpty = text[start.upperBound..<end].allSatisfy(\.isWhitespace)
            let added = isEmpty ? variable : ", \(variable)"
            try NewCommand.write(text[..<end] + added + text[end...], to: file)
        }
    }

    private static func write(_ text: some StringProtocol, to file: String) throws {
        let address = URL(fileURLWithPath: file)
        do {
            try FileManager.default.createDirectory(
                at: address.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: address)
        } catch {
            throw CommandFailure("\(file) cannot be written")
        }
    }
}
