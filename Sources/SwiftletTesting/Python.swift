import Foundation

/// Where Python and the programs of `Tests/Clients/` are.
package enum Python {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static let scripts = root.appending(path: "Tests/Clients").path

    private static let environment = root.appending(path: ".build-python/bin/python").path

    /// With the packages where `.ci/setup test` could install them, else the system's own.
    package static let interpreter = hasPackages ? environment : "/usr/bin/python3"

    /// Whether the clients and servers from PyPI are there.
    package static let hasPackages = FileManager.default.isExecutableFile(atPath: environment)

    package static let isInstalled = FileManager.default.isExecutableFile(atPath: interpreter)
}
