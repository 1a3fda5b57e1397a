import SwiftletEssentials
import SwiftletHTTP
import SwiftletJSON
import Synchronization

/// The checks of a project, one a line, so that each is a line of its history.
package struct AccessCheckFile: Sendable {
    package static let name = "access.json"

    let path: String

    /// Two operators may keep a check at once.
    private static let lock = Mutex<Void>(())

    /// Returns how many there are then. One that is there already is not added again.
    func add(_ check: JSONValue) throws -> Int {
        try Self.lock.withLock { _ in
            var checks: [JSONValue] = []
            if let bytes = FileManager.default.contents(atPath: path) {
                guard let known = try? JSONParser.parse(Array(bytes)).array else {
                    throw ConsoleError(409, "CHECKS", "\(Self.name) is no JSON array: mend it first.")
                }
                checks = known
            }
            guard !checks.contains(where: { $0.description == check.description }) else { return checks.count }
            checks.append(check)
            let text = "[\n" + checks.map { "  \($0.description)" }.joined(separator: ",\n") + "\n]\n"
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
            return checks.count
        }
    }
}
