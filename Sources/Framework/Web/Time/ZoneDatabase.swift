import SwiftletEssentials
import Synchronization

/// The machine's database of time zones: a folder with a file for each name (tzset(3)).
///
/// Foundation has them as a part of ICU, which would make the binary twice as large.
package final class ZoneDatabase: Sendable {
    /// That of `TZDIR`, as the C library has it.
    package static let system = ZoneDatabase(folder: ProcessInfo.processInfo.environment["TZDIR"])

    private static let maximumFileBytes = 1 << 16
    private static let maximumNameBytes = 64
    /// A file system that takes capitals for small letters has every name in many spellings.
    private static let maximumKnown = 2000

    package let folder: String
    /// Only names that exist are kept, some hundreds.
    private let known = Mutex<[String: ZoneRules]>([:])

    init(folder: String?) {
        self.folder = folder.flatMap { $0.isEmpty ? nil : $0 } ?? "/usr/share/zoneinfo"
    }

    /// What to do about a database that is not there; nil if it is.
    package var absence: String? {
        FileManager.default.fileExists(atPath: "\(folder)/Etc/UTC")
            ? nil : "There are no time zones in \(folder): install tzdata, or say with TZDIR where they are"
    }

    /// Whether the database has the name, in the letters that are asked for.
    package func has(_ name: String) -> Bool { rules(of: name) != nil }

    func rules(of name: String) -> ZoneRules? {
        if let rules = known.withLock({ $0[name] }) { return rules }
        guard Self.isName(name), let file = OpenFile(forReadingAtPath: "\(folder)/\(name)"),
            let bytes = try? file.read(upToCount: Self.maximumFileBytes), let rules = ZoneRules(file: bytes)
        else { return nil }
        known.withLock { if $0.count < Self.maximumKnown { $0[name] = rules } }
        return rules
    }

    /// `America/Argentina/Buenos_Aires`, `Etc/GMT+1`, `CET`. What is below `posix` and `right` are the same zones again,
    /// with leap seconds.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return name.utf8.count <= maximumNameBytes && !["posix", "right"].contains(parts.first)
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { Self.nameBytes.contains($0) }
            }
    }

    private static let nameBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-".utf8)
}
