// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "files",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Files",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
        ),
        .testTarget(
            name: "FilesTests",
            dependencies: ["Files", .product(name: "SwiftletTesting", package: "swiftlet")]
        ),
    ]
)
