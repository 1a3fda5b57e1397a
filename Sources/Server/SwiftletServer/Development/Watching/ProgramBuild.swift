import SwiftletEssentials

/// How the running program is built again: `swift build` of the package that it was built from.
struct ProgramBuild {
    let package: String
    let product: String
    let program: String
    private let options: [String]

    /// nil for a program that does not lie where SwiftPM puts one: `.build/x86_64-unknown-linux-gnu/debug/name`.
    init?(program: String) {
        let file = URL(fileURLWithPath: program).resolvingSymlinksInPath()
        let configuration = file.deletingLastPathComponent()
        guard ["debug", "release"].contains(configuration.lastPathComponent) else { return nil }
        var folder = configuration.deletingLastPathComponent()
        var package: URL?
        var scratch = folder
        while folder.path != "/" {
            let above = folder.deletingLastPathComponent()
            if FileManager.default.fileExists(atPath: above.appending(path: "Package.swift").path) {
                (package, scratch) = (above, folder)
                break
            }
            folder = above
        }
        guard let package else { return nil }
        (self.package, product, self.program) = (package.path, file.lastPathComponent, program)
        options =
            (configuration.lastPathComponent == "release" ? ["-c", "release"] : [])
            + (scratch.lastPathComponent == ".build" ? [] : ["--scratch-path", scratch.path])
    }

    var command: [String] {
        ["/usr/bin/env", "swift", "build", "--package-path", package, "--product", product] + options
    }

    /// The lines of a compiler's output that say what is wrong, each once; all of it if none does.
    static func faults(in output: String) -> String {
        var known: Set<Substring> = []
        let lines = output.split(separator: "\n").filter { $0.contains("error:") && known.insert($0).inserted }
        return lines.isEmpty ? output : lines.joined(separator: "\n")
    }
}
