// swift-tools-version: 6.3
import PackageDescription

/// A server of its own, with jobs that do nothing and messages that go nowhere: what Benchmarks/jobs measures.
let package = Package(
    name: "work-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swiftlet", path: "../..")],
    targets: [
        .executableTarget(
            name: "work",
            dependencies: [.product(name: "SwiftletServer", package: "swiftlet")],
            path: "Sources"
        )
    ]
)
