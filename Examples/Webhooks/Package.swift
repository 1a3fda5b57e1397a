// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "webhooks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Webhooks",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
        ),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "Webhooks", .product(name: "SwiftletServer", package: "swiftlet"),
                .product(name: "SwiftletTesting", package: "swiftlet"),
            ]
        ),
    ]
)
