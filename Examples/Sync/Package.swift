// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "sync",
    platforms: [.macOS(.v15), .iOS(.v16)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(name: "Backend", dependencies: [.product(name: "SwiftletServer", package: "swiftlet")]),
        // The app's core: in an app of your own, this is all that is needed.
        .target(
            name: "ShoppingList",
            dependencies: [
                .product(name: "SwiftletClient", package: "swiftlet"),
                .product(name: "SwiftletSync", package: "swiftlet"),
            ]
        ),
        .testTarget(
            name: "ShoppingListTests",
            dependencies: ["ShoppingList", .product(name: "SwiftletTesting", package: "swiftlet")]
        ),
    ]
)
