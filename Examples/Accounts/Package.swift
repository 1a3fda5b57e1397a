// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "accounts",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Accounts",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
        ),
        .testTarget(
            name: "AccountsTests",
            dependencies: ["Accounts", .product(name: "SwiftletTesting", package: "swiftlet")]
        ),
    ]
)
