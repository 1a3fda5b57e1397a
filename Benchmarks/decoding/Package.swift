// swift-tools-version: 6.3
import PackageDescription

/// A package of its own, as an app is: it builds the client and nothing of the server.
let package = Package(
    name: "client-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "decoding",
            dependencies: [
                .product(name: "BusinessClient", package: "swiftlet"),
                .product(name: "SwiftletClient", package: "swiftlet"),
            ]
        )
    ]
)
