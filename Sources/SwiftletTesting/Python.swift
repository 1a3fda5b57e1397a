import Foundation

/// Finds Python and the programs in `Tests/Clients/`.
package enum Python {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static let scripts = root.appending(path: "Tests/Clients").path

    private static let environment = root.appending(path: ".build-python/bin/python").path

    /// The interpreter with the packages from `.ci/setup test`, else the system's.
    package static let interpreter = hasPackages ? environment : "/usr/bin/python3"

    /// Whether the clients and servers from PyPI are installed.
    package static let hasPackages = FileManager.default.isExecutableFile(atPath: environment)

    package static let isInstalled = FileManager.default.isExecutableFile(atPath: interpreter)
}
