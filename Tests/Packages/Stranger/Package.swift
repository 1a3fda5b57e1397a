// swift-tools-version: 6.0
import PackageDescription

// An app team's package: the names of supabase-swift's targets, and names that any package may have, beside ours.

let taken = [
    "Auth", "Functions", "Helpers", "PostgREST", "Realtime", "Storage", "Supabase", "HTTP", "JSON", "Web", "Push",
    "Jobs",
]

let package = Package(
    name: "stranger",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [
        .package(name: "swiftlet", path: Context.environment["SWIFTLET_PACKAGE"] ?? "../../..")
    ],
    targets: taken.map { .target(name: $0) } + [
        .executableTarget(
            name: "App",
            dependencies: taken.map { .byName(name: $0) } + [
                .product(name: "SwiftletClient", package: "swiftlet"),
                .product(name: "BusinessClient", package: "swiftlet"),
                .product(name: "BusinessClientMocks", package: "swiftlet"),
                .product(name: "CheckInsClient", package: "swiftlet"),
                .product(name: "CheckInsClientMocks", package: "swiftlet"),
                .product(name: "DeviceLogsClient", package: "swiftlet"),
                .product(name: "DeviceLogsClientMocks", package: "swiftlet"),
                .product(name: "GalleryClient", package: "swiftlet"),
                .product(name: "GalleryClientMocks", package: "swiftlet"),
            ]
        )
    ]
)
