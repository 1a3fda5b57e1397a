// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "reminders",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "Reminders",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]
        ),
        .testTarget(
            name: "RemindersTests",
            dependencies: ["Reminders", .product(name: "SwiftletTesting", package: "swiftlet")]
        ),
    ]
)
