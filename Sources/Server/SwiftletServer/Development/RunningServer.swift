import SwiftletEssentials
import SwiftletJSON

/// The server of a `swiftlet dev` that runs in a folder, for the other commands.
struct RunningServer: Equatable, Sendable {
    let process: Int
    let port: Int
    let url: String

    /// nil if none runs there.
    static func find(in folder: DevelopmentFolder) -> RunningServer? {
        guard let data = FileManager.default.contents(atPath: path(folder)),
            let value = try? JSONParser.parse(Array(data)), let process = value["process"]?.int,
            let port = value["port"]?.int, let url = value["url"]?.string, let id = pid_t(exactly: process),
            // EPERM: it runs as somebody else.
            kill(id, 0) == 0 || errno == EPERM
        else { return nil }
        return RunningServer(process: process, port: port, url: url)
    }

    func write(in folder: DevelopmentFolder) throws {
        let value: JSONValue = .object([
            "process": JSONValue(process), "port": JSONValue(port), "url": .string(url),
        ])
        try folder.write("\(value)\n", to: Self.path(folder))
    }

    static func forget(in folder: DevelopmentFolder) { try? FileManager.default.removeItem(atPath: path(folder)) }

    private static func path(_ folder: DevelopmentFolder) -> String { "\(folder.path)/server.json" }
}
