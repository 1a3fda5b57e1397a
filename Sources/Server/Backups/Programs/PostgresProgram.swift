import SwiftletEssentials
import SwiftletProcesses

/// A client program of PostgreSQL: `pg_dump`, `pg_restore`.
package struct PostgresProgram: Sendable {
    package let path: String
    /// "pg_dump (PostgreSQL) 15.18".
    package let version: String
    package let major: Int

    /// The installed one of the server's version, else the oldest that is newer: what that writes, the server's own reads
    /// less surely. Blocks. Throws ``BackupError/programMissing(name:major:found:)``.
    package static func find(
        _ name: String,
        major: Int,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(BackupError) -> PostgresProgram {
        var found: [PostgresProgram] = []
        // The program in the search path of Debian is a script that takes its time.
        for folder in folders(environment, first: "/usr/lib/postgresql/\(major)/bin") {
            guard let program = PostgresProgram(at: "\(folder)/\(name)", environment) else { continue }
            if program.major == major { return program }
            found.append(program)
        }
        let newer = found.filter { $0.major > major }.min { $0.major < $1.major }
        guard let newer else {
            throw .programMissing(name: name, major: major, found: found.max { $0.major < $1.major }?.version)
        }
        return newer
    }

    private init?(at path: String, _ environment: [String: String]) {
        guard FileManager.default.isExecutableFile(atPath: path),
            let result = try? ChildProgram.output(of: [path, "--version"], Self.environment(environment)),
            result.status == 0
        else { return nil }
        let line = result.output.split(separator: "\n").first ?? ""
        // "pg_dump (PostgreSQL) 15.18 (Debian …)", or "16beta1".
        let number = line.split(separator: " ").first { $0.first?.isNumber == true } ?? ""
        guard let major = Int(number.prefix { $0.isNumber }) else { return nil }
        self.path = path
        self.major = major
        version = String(line)
    }

    /// The search path, then where packages install their versions beside each other.
    private static func folders(_ environment: [String: String], first: String) -> [String] {
        var folders = [first] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        for (parent, suffix) in [
            ("/usr/lib/postgresql", "/bin"), ("/usr", "/bin"), ("/opt/homebrew/opt", "/bin"),
            ("/usr/local/opt", "/bin"), ("/Applications/Postgres.app/Contents/Versions", "/bin"),
        ] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
            folders += names.sorted().map { "\(parent)/\($0)\(suffix)" }
        }
        return folders
    }

    /// What such a program needs of ours, and nothing else: no secret but those of PostgreSQL.
    package static func environment(_ ours: [String: String] = ProcessInfo.processInfo.environment) -> [String: String]
    {
        let names = ["PATH", "HOME", "USER", "LOGNAME", "TMPDIR"]
        var kept = ours.filter { names.contains($0.key) || $0.key.hasPrefix("PG") }
        kept["LC_ALL"] = "C"
        return kept
    }
}
