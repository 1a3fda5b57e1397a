import Foundation
import Testing

/// A raw message from `Fixtures`, named `<RFC>-<section>-<what>.<expected status>.http`.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let bytes: [UInt8]

    var testDescription: String { name }

    /// All of them, by name.
    static let all: [Fixture] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().compactMap { name in
            let parts = name.split(separator: ".")
            guard parts.last == "http", let status = Int(parts[parts.count - 2]),
                let data = try? Data(contentsOf: folder.appending(path: name))
            else { return nil }
            return Fixture(name: name, status: status, bytes: Array(data))
        }
    }()

    static var wellFormed: [Fixture] { all.filter { $0.status == 200 } }
    static var faulty: [Fixture] { all.filter { $0.status != 200 } }
}
