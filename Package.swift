// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = [], embedded folder: String? = nil) -> Target {
    let resources = folder.map { [Resource.embedInCode($0)] }
    return .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

/// Apps build these with compilers that nobody has tried here. On those, a new warning is none of an app's business.
func clientLibrary(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let settings = strict.dropLast() + [.treatAllWarnings(as: .error, .when(platforms: [.linux]))]
    return .target(name: name, dependencies: dependencies, swiftSettings: Array(settings))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: strict)
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

// Only `make docs` needs it.
let documentation: [Package.Dependency] =
    Context.environment["SWIFTLET_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let package = Package(
    name: "swiftlet",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "swiftlet", targets: ["swiftlet-command"]),
        .library(name: "Swiftlet", targets: ["Swiftlet"]),
        .library(name: "SwiftletServer", targets: ["SwiftletServer"]),
        .library(name: "SwiftletTesting", targets: ["SwiftletTesting"]),
        .library(name: "SwiftletClient", targets: ["SwiftletClient"]),
        .library(name: "SwiftletClientMocks", targets: ["SwiftletClientMocks"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ] + documentation,
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPango", pkgConfig: "pangocairo", providers: [.apt(["libpango1.0-dev"])]),

        library("Bytes"),
        library("JSON", ["Bytes"]),
        library("HTTP", ["Bytes"]),
        library("EventLoop", ["CLinux"]),
        library("Offloading"),
        library("HTTPServer", ["EventLoop", "HTTP", "COpenSSL"]),
        library("Postgres", ["CLibpq", "EventLoop", "Offloading"]),
        library("Auth", ["COpenSSL", "CCrypt", "CArgon2", "Bytes", "JSON"]),
        library("Documents", ["CPango"]),
        library("Outbound", ["CCurl", "EventLoop"]),
        library("Push", ["Auth", "JSON", "Outbound"]),
        library("Storage", ["Auth", "HTTP", "Offloading", "Outbound"]),
        library("Web", ["Bytes", "HTTP", "JSON", "Auth", "Offloading", "Outbound", "Postgres", "Storage", logging]),
        library("Resources", ["Bytes", "Web", "HTTP", "JSON", "Auth", "Postgres", logging]),
        library(
            "Jobs",
            ["Auth", "EventLoop", "Web", "Postgres", logging],
            embedded: "Migrations"
        ),
        library(
            "Swiftlet",
            [
                "Documents", "Web", "Resources", "Jobs", "HTTP", "JSON", "Auth", "Outbound", "Postgres", "Storage",
                logging,
            ]
        ),
        library("Functions", ["Swiftlet"]),
        library(
            "SignIn",
            ["Bytes", "Web", "HTTP", "JSON", "Auth", "Offloading", "Postgres", "Outbound", logging],
            embedded: "Migrations"
        ),
        library(
            "Rest",
            ["Auth", "Bytes", "HTTP", "JSON", "Postgres", "Web", logging],
            embedded: "Migrations"
        ),
        library("Description", ["HTTP", "JSON", "Postgres", "Resources", "Web"]),
        library("Migrations", ["Postgres"], embedded: "Server"),
        // For apps: they use nothing else of this package, and nothing of them is used by the server.
        clientLibrary("SwiftletClient"),
        clientLibrary("SwiftletClientMocks", ["SwiftletClient"]),
        library("EmbeddedPostgres"),
        library(
            "SwiftletTesting",
            [
                "Auth", "Bytes", "EmbeddedPostgres", "EventLoop", "HTTP", "JSON", "Jobs", "Migrations", "Outbound",
                "Postgres", "Rest", "SignIn", "Storage", "Web", logging,
            ]
        ),
        library(
            "SwiftletServer",
            [
                "Auth", "Description", "EmbeddedPostgres", "EventLoop", "HTTP", "HTTPServer", "JSON", "Jobs",
                "Migrations", "Offloading", "Outbound", "Postgres", "Push", "Rest", "SignIn", "Storage", "Swiftlet",
                "Web",
                arguments, logging,
            ]
        ),
        .executableTarget(
            name: "swiftlet-command",
            dependencies: ["Functions", "SwiftletServer"],
            swiftSettings: strict
        ),

        tests("BytesTests", ["Bytes", "SwiftletTesting"]),
        tests("JSONTests", ["Bytes", "JSON", "SwiftletTesting"]),
        tests("HTTPTests", ["HTTP", "SwiftletTesting"], resources: [.copy("Fixtures")]),
        tests("EventLoopTests", ["EventLoop"]),
        tests("HTTPServerTests", ["HTTPServer", "COpenSSL", "EventLoop", "HTTP", "SwiftletTesting"]),
        tests("PostgresTests", ["Postgres", "EventLoop", "EmbeddedPostgres", "SwiftletTesting"]),
        tests("AuthTests", ["Auth", "JSON", "SwiftletTesting"]),
        tests("EmbeddedPostgresTests", ["EmbeddedPostgres", "Postgres"]),
        tests(
            "SwiftletServerTests",
            [
                "SwiftletServer", "swiftlet-command", "Auth", "Description", "EmbeddedPostgres", "EventLoop",
                "Functions", "HTTP", "HTTPServer", "JSON", "Outbound", "Postgres", "Rest", "SignIn", "Storage",
                "SwiftletTesting", "Web", logging,
            ]
        ),
        tests(
            "SwiftletClientTests",
            [
                "SwiftletClient", "SwiftletClientMocks", "Auth", "EventLoop", "Functions", "HTTP", "HTTPServer",
                "Postgres", "Rest", "SignIn", "SwiftletTesting", "Web",
            ]
        ),
        tests("OffloadingTests", ["Offloading", "SwiftletTesting"]),
        tests("DocumentsTests", ["Documents"]),
        tests("OutboundTests", ["Outbound", "EventLoop", "JSON", "SwiftletTesting"]),
        tests("PushTests", ["Push", "Auth", "EventLoop", "JSON", "Outbound", "SwiftletTesting"]),
        tests("StorageTests", ["Storage", "Auth", "HTTP", "JSON", "SwiftletTesting"]),
        tests(
            "SignInTests",
            [
                "SignIn", "Web", "SwiftletTesting", "HTTP", "Jobs", "JSON", "Auth", "Offloading", "Postgres",
                "Outbound", "EventLoop", logging,
            ]
        ),
        tests(
            "JobsTests",
            [
                "Jobs", "Web", "SwiftletTesting", "Auth", "EmbeddedPostgres", "HTTP", "JSON", "Migrations", "Postgres",
            ]
        ),
        tests(
            "RestTests",
            ["Rest", "Auth", "HTTP", "JSON", "Postgres", "SwiftletTesting", "Web"],
            resources: [.copy("studio.sql")]
        ),
        tests("DescriptionTests", ["Description", "JSON", "Postgres", "Resources", "SwiftletTesting", "Web"]),
        tests("MigrationsTests", ["Migrations", "Postgres", "SwiftletTesting"]),
        tests("WebTests", ["Web", "SwiftletTesting", "HTTP", "JSON", "Auth", "Postgres", "Storage", logging]),
        tests("ResourcesTests", ["Resources", "Swiftlet", "SwiftletTesting", "HTTP", "JSON", "Postgres", "Web"]),
        tests(
            "IntegrationTests",
            [
                "Auth", "EmbeddedPostgres", "EventLoop", "Functions", "HTTP", "HTTPServer", "JSON", "Migrations",
                "Postgres",
                "Storage", "Swiftlet", "SwiftletTesting", "Web",
            ]
        ),
    ]
)
