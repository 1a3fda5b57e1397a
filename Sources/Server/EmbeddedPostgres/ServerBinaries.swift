import SwiftletEssentials

/// An installed PostgreSQL: the folder with initdb, pg_ctl and postgres.
struct ServerBinaries: Equatable, Sendable {
    let folder: String
    /// "15", "16", …; empty if it cannot be determined.
    let major: String

    func path(_ program: String) -> String { "\(folder)/\(program)" }

    /// The newest installed server, or the one with the major version `wanted` that a data folder needs.
    static func find(
        major wanted: String? = nil,
        dataFolder: String = "",
        environment: [String: String] = ProcessInfo.processInfo.environment,
        roots: [(parent: String, suffix: String)] = installRoots
    ) throws(EmbeddedPostgresError) -> ServerBinaries {
        let searched = candidates(environment, roots)
        var found: [ServerBinaries] = []
        for folder in searched {
            guard let binaries = ServerBinaries(at: folder), !found.contains(binaries) else { continue }
            if wanted == nil || binaries.major == wanted { return binaries }
            found.append(binaries)
        }
        guard let wanted, !found.isEmpty else { throw .binariesNotFound(searched: searched) }
        throw .versionNotInstalled(wanted: wanted, folder: dataFolder)
    }

    private init?(at folder: String) {
        let files = FileManager.default
        // PATH often contains links to single programs; all programs are in the folder of the target.
        let initdb = URL(fileURLWithPath: "\(folder)/initdb").resolvingSymlinksInPath().path
        let home = URL(fileURLWithPath: initdb).deletingLastPathComponent().path
        guard ["initdb", "pg_ctl", "postgres"].allSatisfy({ files.isExecutableFile(atPath: "\(home)/\($0)") })
        else { return nil }
        self.folder = home
        // "postgres (PostgreSQL) 15.18 (Debian …)", or "16beta1": the leading digits are the major version.
        let version = try? ChildProcess.run(["\(home)/postgres", "--version"]).output
        let number = version?.split(separator: " ").first { $0.first?.isNumber == true } ?? ""
        major = String(number.prefix { $0.isNumber })
    }

    private static func candidates(
        _ environment: [String: String],
        _ roots: [(parent: String, suffix: String)]
    ) -> [String] {
        var folders: [String] = []
        folders += (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for (parent, suffix) in roots {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            let newestFirst = names.sorted { numbers(in: $1).lexicographicallyPrecedes(numbers(in: $0)) }
            folders += newestFirst.map { "\(parent)/\($0)\(suffix)" }.filter {
                FileManager.default.fileExists(atPath: "\($0)/initdb")
            }
        }
        return folders
    }

    /// Of `postgresql@9.6`: 9 and 6.
    private static func numbers(in name: String) -> [Int] {
        name.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) }
    }

    /// Where packages install versioned servers: Debian, PGDG's RPMs, Homebrew on both architectures, Postgres.app.
    static let installRoots = [
        ("/usr/lib/postgresql", "/bin"), ("/usr", "/bin"), ("/opt/homebrew/opt", "/bin"), ("/usr/local/opt", "/bin"),
        ("/Applications/Postgres.app/Contents/Versions", "/bin"),
    ]
}
