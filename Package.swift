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

/// A room of the server, below its floor's folder.
func room(
    _ floor: String,
    _ name: String,
    _ dependencies: [Target.Dependency],
    embedded folder: String? = nil,
    excluding others: [String] = []
) -> Target {
    .target(
        name: name.hasPrefix("Swiftlet") ? name : "Swiftlet" + name,
        dependencies: dependencies,
        path: "Sources/\(floor)/\(name)",
        exclude: others,
        resources: folder.map { [Resource.embedInCode($0)] },
        swiftSettings: strict
    )
}

/// C headers and what they are linked with.
func system(_ name: String, pkgConfig: String? = nil, package: String? = nil) -> Target {
    .systemLibrary(
        name: "Swiftlet" + name,
        path: "Sources/System/\(name)",
        pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] }
    )
}

/// Apps build these with compilers that nobody has tried here. On those, a new warning is none of an app's business.
func client(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    let settings = strict.dropLast() + [.treatAllWarnings(as: .error, .when(platforms: [.linux]))]
    return .target(
        name: name,
        dependencies: dependencies,
        path: "Sources/Client/\(name)",
        swiftSettings: Array(settings)
    )
}

func tests(_ floor: String, _ name: String, _ dependencies: [Target.Dependency], resources: [Resource]? = nil) -> Target
{
    .testTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/\(floor)/\(name)",
        resources: resources,
        swiftSettings: strict
    )
}

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

// Only `make docs` needs it.
let documentation: [Package.Dependency] =
    Context.environment["SWIFTLET_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")]

let clients = [
    "SwiftletClient", "BusinessClient", "BusinessClientMocks", "CheckInsClient", "CheckInsClientMocks",
    "DeviceLogsClient",
    "DeviceLogsClientMocks", "GalleryClient", "GalleryClientMocks", "SwiftletSync",
]

let package = Package(
    name: "swiftlet",
    platforms: [.macOS(.v15), .iOS(.v16)],
    products: [
        .executable(name: "swiftlet", targets: ["swiftlet-command"]),
        .library(name: "Swiftlet", targets: ["Swiftlet"]),
        .library(name: "SwiftletServer", targets: ["SwiftletServer"]),
        .library(name: "SwiftletTesting", targets: ["SwiftletTesting"]),
    ] + clients.map { .library(name: $0, targets: [$0]) },
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ] + documentation,
    targets: [
        // System
        system("CLinux"),
        system("CLibpq", pkgConfig: "libpq", package: "libpq-dev"),
        system("COpenSSL", pkgConfig: "openssl", package: "libssl-dev"),
        system("CCrypt", package: "libcrypt-dev"),
        system("CArgon2", pkgConfig: "libargon2", package: "libargon2-dev"),
        system("CCurl", pkgConfig: "libcurl", package: "libcurl4-openssl-dev"),
        system("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        .target(
            name: "SwiftletCConsole",
            path: "Sources/System/CConsole",
            linkerSettings: [.linkedLibrary("z")]
        ),
        system("CPango", pkgConfig: "pangocairo", package: "libpango1.0-dev"),
        system("CQrencode", pkgConfig: "libqrencode", package: "libqrencode-dev"),
        system("CFido", pkgConfig: "libfido2", package: "libfido2-dev"),
        system("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),

        // Base
        room("Base", "Essentials", []),
        room("Base", "Bytes", []),
        room("Base", "JSON", ["SwiftletBytes"]),
        room("Base", "HTTP", ["SwiftletBytes"]),
        room("Base", "EventLoop", ["SwiftletCLinux"]),
        room("Base", "BlockingPool", []),
        room("Base", "Compression", ["SwiftletCZlib"]),
        room("Base", "Processes", ["SwiftletEssentials", "SwiftletCLinux"]),

        // Engine
        room("Engine", "HTTPServer", ["SwiftletEventLoop", "SwiftletHTTP", "SwiftletCOpenSSL"]),
        room("Engine", "Postgres", ["SwiftletCLibpq", "SwiftletEventLoop", "SwiftletBlockingPool"]),
        room(
            "Engine",
            "Auth",
            ["SwiftletCOpenSSL", "SwiftletCCrypt", "SwiftletCArgon2", "SwiftletBytes", "SwiftletJSON"]
        ),
        room("Engine", "Outbound", ["SwiftletCCurl", "SwiftletEventLoop"]),

        room("Engine", "Redis", ["SwiftletBlockingPool", "SwiftletEventLoop", "SwiftletOutbound"]),

        // Framework
        room(
            "Framework",
            "Web",
            [
                "SwiftletEssentials",
                "SwiftletBytes", "SwiftletHTTP", "SwiftletJSON", "SwiftletAuth", "SwiftletBlockingPool",
                "SwiftletCompression", "SwiftletPostgres", logging,
            ]
        ),
        room("Framework", "Calls", ["SwiftletEssentials", "SwiftletJSON", "SwiftletOutbound", "SwiftletWeb"]),
        room("Framework", "Push", ["SwiftletAuth", "SwiftletJSON", "SwiftletOutbound", "SwiftletWeb"]),
        room(
            "Framework",
            "Storage",
            [
                "SwiftletAuth", "SwiftletHTTP", "SwiftletBlockingPool", "SwiftletOutbound", "SwiftletPostgres",
                "SwiftletWeb",
            ]
        ),
        room(
            "Framework",
            "Resources",
            [
                "SwiftletBytes", "SwiftletWeb", "SwiftletHTTP", "SwiftletJSON", "SwiftletAuth", "SwiftletPostgres",
                logging,
            ]
        ),
        room(
            "Framework",
            "Jobs",
            ["SwiftletEssentials", "SwiftletAuth", "SwiftletEventLoop", "SwiftletWeb", "SwiftletPostgres", logging],
            embedded: "Migrations"
        ),
        room(
            "Framework",
            "Webhooks",
            [
                "SwiftletEssentials", "SwiftletAuth", "SwiftletJobs", "SwiftletOutbound", "SwiftletPostgres",
                "SwiftletWeb", logging,
            ],
            embedded: "Migrations"
        ),
        room(
            "Framework",
            "Swiftlet",
            [
                "SwiftletWeb", "SwiftletCalls", "SwiftletPush", "SwiftletStorage", "SwiftletResources", "SwiftletJobs",
                "SwiftletHTTP", "SwiftletJSON", "SwiftletAuth", "SwiftletOutbound", "SwiftletPostgres",
                "SwiftletWebhooks", logging,
            ]
        ),

        // Services
        room(
            "Services",
            "SignIn",
            [
                "SwiftletEssentials",
                "SwiftletBytes", "SwiftletWeb", "SwiftletHTTP", "SwiftletJSON", "SwiftletAuth", "SwiftletBlockingPool",
                "SwiftletEventLoop",
                "SwiftletPostgres", "SwiftletOutbound", "SwiftletCFido", "SwiftletCQrencode", logging,
            ],
            embedded: "Migrations"
        ),
        room(
            "Services",
            "Rest",
            [
                "SwiftletEssentials",
                "SwiftletAuth", "SwiftletBytes", "SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres", "SwiftletWeb",
                logging,
            ],
            embedded: "Migrations"
        ),
        room(
            "Services",
            "Realtime",
            [
                "SwiftletAuth", "SwiftletBytes", "SwiftletEventLoop", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletPostgres", "SwiftletRedis", "SwiftletWeb", logging,
            ],
            embedded: "Migrations"
        ),
        room(
            "Services",
            "Files",
            [
                "SwiftletEssentials",
                "SwiftletAuth", "SwiftletBlockingPool", "SwiftletBytes", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletPostgres", "SwiftletProcesses", "SwiftletStorage", "SwiftletWeb", logging,
            ],
            embedded: "Migrations"
        ),
        room(
            "Services",
            "Interface",
            ["SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres", "SwiftletResources", "SwiftletWeb"]
        ),
        // `SwiftletCConsole` embeds its assets.
        room(
            "Services",
            "Console",
            [
                "SwiftletEssentials",
                "SwiftletAuth", "SwiftletBlockingPool", "SwiftletBytes", "SwiftletCConsole", "SwiftletHTTP",
                "SwiftletJSON", "SwiftletPostgres", "SwiftletWeb",
            ],
            embedded: "Migrations",
            excluding: ["Assets"]
        ),

        // Server
        room("Server", "Migrations", ["SwiftletEssentials", "SwiftletPostgres"], embedded: "Server"),
        room("Server", "EmbeddedPostgres", ["SwiftletEssentials", "SwiftletHTTP"]),
        room(
            "Server",
            "Backups",
            [
                "SwiftletEssentials",
                "SwiftletAuth", "SwiftletBlockingPool", "SwiftletEmbeddedPostgres", "SwiftletFiles", "SwiftletHTTP",
                "SwiftletPostgres", "SwiftletProcesses", "SwiftletStorage",
            ]
        ),
        room(
            "Server",
            "Imports",
            [
                "SwiftletEssentials",
                "SwiftletBackups", "SwiftletBlockingPool", "SwiftletFiles", "SwiftletHTTP", "SwiftletMigrations",
                "SwiftletOutbound", "SwiftletPostgres", "SwiftletProcesses", "SwiftletStorage",
            ]
        ),
        room(
            "Server",
            "SwiftletTesting",
            [
                "SwiftletAuth", "SwiftletBytes", "SwiftletCalls", "SwiftletConsole", "SwiftletEmbeddedPostgres",
                "SwiftletEventLoop", "SwiftletFiles",
                "SwiftletHTTP", "SwiftletHTTPServer", "SwiftletJSON", "SwiftletJobs", "SwiftletMigrations",
                "SwiftletOutbound", "SwiftletPostgres", "SwiftletProcesses", "SwiftletPush",
                "SwiftletRealtime", "SwiftletRest", "SwiftletSignIn", "SwiftletStorage", "SwiftletWeb",
                "SwiftletWebhooks", logging,
            ]
        ),
        room(
            "Server",
            "SwiftletServer",
            [
                "SwiftletEssentials",
                "SwiftletAuth", "SwiftletBackups", "SwiftletBytes", "SwiftletCalls", "SwiftletConsole",
                "SwiftletInterface",
                "SwiftletEmbeddedPostgres", "SwiftletEventLoop", "SwiftletFiles",
                "SwiftletHTTP",
                "SwiftletHTTPServer", "SwiftletImports", "SwiftletJSON", "SwiftletJobs", "SwiftletMigrations",
                "SwiftletBlockingPool", "SwiftletOutbound", "SwiftletPostgres", "SwiftletProcesses",
                "SwiftletPush", "SwiftletRealtime", "SwiftletRedis", "SwiftletRest",
                "SwiftletSignIn", "SwiftletStorage", "Swiftlet", "SwiftletWeb", "SwiftletWebhooks", arguments, logging,
            ]
        ),

        // Apps
        .target(
            name: "SwiftletDocuments",
            dependencies: ["SwiftletCPango"],
            path: "Sources/Apps/Documents",
            swiftSettings: strict
        ),
        room("Apps", "Business", ["SwiftletDocuments", "Swiftlet"]),
        room("Apps", "CheckIns", ["Swiftlet"]),
        room("Apps", "DeviceLogs", ["Swiftlet"]),
        room("Apps", "Gallery", ["Swiftlet"]),
        .executableTarget(
            name: "swiftlet-command",
            dependencies: [
                "SwiftletBusiness", "SwiftletCheckIns", "SwiftletDeviceLogs", "SwiftletGallery", "SwiftletServer",
            ],
            path: "Sources/swiftlet",
            swiftSettings: strict
        ),

        // Client: for apps. They use nothing else of this package, and nothing of them is used by the server.
        client("SwiftletClient"),
        client("BusinessClient", ["SwiftletClient"]),
        client("BusinessClientMocks", ["BusinessClient"]),
        client("CheckInsClient", ["SwiftletClient"]),
        client("CheckInsClientMocks", ["CheckInsClient"]),
        client("DeviceLogsClient", ["SwiftletClient"]),
        client("DeviceLogsClientMocks", ["DeviceLogsClient"]),
        client("GalleryClient", ["SwiftletClient"]),
        client("GalleryClientMocks", ["GalleryClient"]),
        // Apple's systems have SQLite as a module of their own.
        client(
            "SwiftletSync",
            ["SwiftletClient", .target(name: "SwiftletCSQLite", condition: .when(platforms: [.linux]))]
        ),

        tests("Base", "EssentialsTests", ["SwiftletEssentials"]),
        tests("Base", "BytesTests", ["SwiftletBytes", "SwiftletTesting"]),
        tests("Base", "JSONTests", ["SwiftletBytes", "SwiftletJSON", "SwiftletTesting"]),
        tests("Base", "HTTPTests", ["SwiftletHTTP", "SwiftletTesting"], resources: [.copy("Fixtures")]),
        tests("Base", "EventLoopTests", ["SwiftletEventLoop"]),
        tests("Base", "CompressionTests", ["SwiftletCompression"]),
        tests("Base", "BlockingPoolTests", ["SwiftletBlockingPool", "SwiftletTesting"]),

        tests(
            "Engine",
            "HTTPServerTests",
            ["SwiftletHTTPServer", "SwiftletCOpenSSL", "SwiftletEventLoop", "SwiftletHTTP", "SwiftletTesting"]
        ),
        tests(
            "Engine",
            "PostgresTests",
            ["SwiftletPostgres", "SwiftletEventLoop", "SwiftletEmbeddedPostgres", "SwiftletTesting"]
        ),
        tests("Engine", "AuthTests", ["SwiftletAuth", "SwiftletJSON", "SwiftletTesting"]),
        tests(
            "Engine",
            "RedisTests",
            ["SwiftletRedis", "SwiftletBytes", "SwiftletEventLoop", "SwiftletOutbound", "SwiftletTesting"]
        ),
        tests("Engine", "OutboundTests", ["SwiftletOutbound", "SwiftletEventLoop", "SwiftletJSON", "SwiftletTesting"]),

        tests(
            "Framework",
            "PushTests",
            [
                "SwiftletPush", "SwiftletAuth", "SwiftletEventLoop", "SwiftletJSON", "SwiftletOutbound",
                "SwiftletTesting",
            ]
        ),
        tests(
            "Framework",
            "StorageTests",
            ["SwiftletStorage", "SwiftletAuth", "SwiftletHTTP", "SwiftletJSON", "SwiftletTesting"]
        ),
        tests(
            "Framework",
            "WebTests",
            [
                "SwiftletWeb", "SwiftletCompression", "SwiftletTesting", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletAuth", "SwiftletPostgres", "SwiftletStorage", logging,
            ]
        ),
        tests(
            "Framework",
            "ResourcesTests",
            [
                "SwiftletResources", "Swiftlet", "SwiftletTesting", "SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres",
                "SwiftletWeb",
            ]
        ),
        tests(
            "Framework",
            "JobsTests",
            [
                "SwiftletJobs", "SwiftletWeb", "SwiftletTesting", "SwiftletAuth", "SwiftletEmbeddedPostgres",
                "SwiftletHTTP", "SwiftletJSON", "SwiftletMigrations", "SwiftletPostgres",
            ]
        ),
        tests(
            "Framework",
            "WebhooksTests",
            [
                "SwiftletWebhooks", "SwiftletAuth", "SwiftletEventLoop", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletOutbound", "SwiftletPostgres", "SwiftletTesting", "SwiftletWeb",
            ]
        ),

        tests(
            "Services",
            "SignInTests",
            [
                "SwiftletSignIn", "SwiftletWeb", "SwiftletTesting", "SwiftletHTTP", "SwiftletJobs", "SwiftletJSON",
                "SwiftletAuth", "SwiftletBlockingPool", "SwiftletClient", "SwiftletPostgres", "SwiftletOutbound",
                "SwiftletEventLoop", logging,
            ]
        ),
        tests(
            "Services",
            "RestTests",
            [
                "SwiftletRest", "SwiftletAuth", "SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres", "SwiftletTesting",
                "SwiftletWeb",
            ],
            resources: [.copy("studio.sql"), .copy("library.sql")]
        ),
        tests(
            "Services",
            "RealtimeTests",
            [
                "SwiftletRealtime", "SwiftletAuth", "SwiftletClient", "SwiftletEventLoop", "SwiftletHTTP",
                "SwiftletHTTPServer", "SwiftletJSON", "SwiftletPostgres", "SwiftletRedis", "SwiftletTesting",
                "SwiftletWeb",
                logging,
            ]
        ),
        tests(
            "Services",
            "FilesTests",
            [
                "SwiftletFiles", "SwiftletAuth", "SwiftletHTTP", "SwiftletHTTPServer", "SwiftletJSON",
                "SwiftletMigrations", "SwiftletPostgres", "SwiftletStorage", "SwiftletTesting", "SwiftletWeb",
            ]
        ),
        tests(
            "Services",
            "InterfaceTests",
            [
                "SwiftletInterface", "SwiftletJSON", "SwiftletPostgres", "SwiftletResources", "SwiftletTesting",
                "SwiftletWeb",
            ]
        ),
        tests(
            "Services",
            "ConsoleTests",
            [
                "SwiftletConsole", "SwiftletAuth", "SwiftletEventLoop", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletPostgres", "SwiftletTesting", "SwiftletWeb",
            ]
        ),

        tests(
            "Server",
            "MigrationsTests",
            ["SwiftletMigrations", "SwiftletPostgres", "SwiftletTesting"],
            resources: [.copy("Release010")]
        ),
        tests(
            "Server",
            "EmbeddedPostgresTests",
            ["SwiftletEmbeddedPostgres", "SwiftletEssentials", "SwiftletPostgres"]
        ),
        tests(
            "Server",
            "BackupsTests",
            [
                "SwiftletBackups", "SwiftletAuth", "SwiftletFiles", "SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres",
                "SwiftletStorage", "SwiftletTesting", "SwiftletWeb",
            ]
        ),
        tests(
            "Server",
            "RepositoryTests",
            [
                "swiftlet-command", "SwiftletBusiness", "SwiftletCheckIns", "SwiftletDeviceLogs", "SwiftletGallery",
                "SwiftletTesting",
            ]
        ),
        tests(
            "Server",
            "SwiftletServerTests",
            [
                "SwiftletServer", "swiftlet-command", "SwiftletAuth", "SwiftletClient", "SwiftletInterface",
                "SwiftletEmbeddedPostgres", "SwiftletEventLoop", "SwiftletBusiness", "SwiftletCheckIns",
                "SwiftletDeviceLogs", "SwiftletFiles", "SwiftletRealtime", "SwiftletRedis",
                "SwiftletHTTP", "SwiftletHTTPServer", "SwiftletJSON", "SwiftletMigrations", "SwiftletOutbound",
                "SwiftletPostgres", "SwiftletRest", "SwiftletSignIn", "SwiftletStorage", "SwiftletSync",
                "SwiftletTesting", "SwiftletWeb",
                "SwiftletWebhooks", logging,
            ]
        ),

        tests("Apps", "DocumentsTests", ["SwiftletDocuments"]),
        tests(
            "Apps",
            "BusinessTests",
            [
                "SwiftletAuth", "SwiftletEmbeddedPostgres", "SwiftletEventLoop", "SwiftletBusiness", "SwiftletCalls",
                "SwiftletHTTP", "SwiftletHTTPServer", "SwiftletJSON", "SwiftletMigrations", "SwiftletOutbound",
                "SwiftletPostgres", "SwiftletStorage", "Swiftlet", "SwiftletTesting", "SwiftletWeb",
            ]
        ),
        tests(
            "Apps",
            "CheckInsTests",
            [
                "SwiftletAuth", "SwiftletEventLoop", "SwiftletCheckIns", "SwiftletHTTP", "SwiftletJSON",
                "SwiftletMigrations", "SwiftletPostgres", "SwiftletPush", "SwiftletStorage", "Swiftlet",
                "SwiftletTesting",
                "SwiftletWeb",
            ]
        ),
        tests(
            "Apps",
            "DeviceLogsTests",
            [
                "SwiftletAuth", "SwiftletDeviceLogs", "SwiftletHTTP", "SwiftletJSON", "SwiftletPostgres", "Swiftlet",
                "SwiftletTesting", "SwiftletWeb",
            ]
        ),

        tests(
            "Client",
            "SwiftletClientTests",
            [
                "SwiftletClient", "BusinessClient", "CheckInsClient", "CheckInsClientMocks", "DeviceLogsClient",
                "DeviceLogsClientMocks", "GalleryClient", "SwiftletAuth", "SwiftletEventLoop", "SwiftletBusiness",
                "SwiftletCheckIns", "SwiftletDeviceLogs", "SwiftletFiles", "SwiftletHTTP", "SwiftletHTTPServer",
                "SwiftletJSON", "SwiftletPostgres", "SwiftletPush", "SwiftletRest", "SwiftletSignIn", "SwiftletStorage",
                "SwiftletTesting", "SwiftletWeb",
            ]
        ),
        tests(
            "Client",
            "SwiftletSyncTests",
            [
                "SwiftletSync", "SwiftletClient", "SwiftletAuth", "SwiftletEventLoop", "SwiftletHTTP",
                "SwiftletHTTPServer", "SwiftletPostgres", "SwiftletRealtime", "SwiftletTesting", "SwiftletWeb",
            ]
        ),
    ]
)
