// swift-tools-version: 6.0
import PackageDescription

// What app teams add: the client products alone, for toolchains older than the one that builds the server.

func client(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/Client/\(name)",
        swiftSettings: [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ]
    )
}

let targets = [
    client("SwiftletClient"),
    client("BusinessClient", ["SwiftletClient"]),
    client("BusinessClientMocks", ["BusinessClient"]),
    client("CheckInsClient", ["SwiftletClient"]),
    client("CheckInsClientMocks", ["CheckInsClient"]),
    client("DeviceLogsClient", ["SwiftletClient"]),
    client("DeviceLogsClientMocks", ["DeviceLogsClient"]),
    client("GalleryClient", ["SwiftletClient"]),
    client("GalleryClientMocks", ["GalleryClient"]),
    client("SwiftletSync", ["SwiftletClient", .target(name: "SwiftletCSQLite", condition: .when(platforms: [.linux]))]),
]

// Apple's systems have SQLite as a module of their own.
let sqlite = Target.systemLibrary(
    name: "SwiftletCSQLite",
    path: "Sources/System/CSQLite",
    pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"])]
)

let package = Package(
    name: "swiftlet",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: targets.map { .library(name: $0.name, targets: [$0.name]) },
    targets: targets + [sqlite]
)
