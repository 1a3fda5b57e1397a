// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "notes",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Notes",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
        ),
        .testTarget(
            name: "NotesTests",
            dependencies: ["Notes", .product(name: "SwiftletTesting", package: "swiftlet")]
        ),
    ]
)
