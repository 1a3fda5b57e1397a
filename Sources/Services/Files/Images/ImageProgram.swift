import SwiftletEssentials

/// Renders images by the programs of libvips. Each image has a process of its own, with limits of memory and time: a
/// decoder that is broken by a file breaks nothing else, and what it allocates is gone with it.
struct ImageProgram: Sendable {
    private let thumbnail: String
    private let header: String
    /// Sets the limits; nil where the system has no such program.
    private let limiter: String?

    private static let maximumMemoryBytes = 1 << 30
    private static let maximumSeconds = 10
    private static let maximumOutputBytes = 64 << 20

    /// nil unless the programs are in the search path, by default that of the process.
    init?(searchPath: String?) {
        let path = searchPath ?? ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
        func find(_ name: String) -> String? {
            path.split(separator: ":").map { "\($0)/\(name)" }.first {
                FileManager.default.isExecutableFile(atPath: $0)
            }
        }
        guard let thumbnail = find("vipsthumbnail"), let header = find("vipsheader") else { return nil }
        self.thumbnail = thumbnail
        self.header = header
        limiter = find("prlimit")
        #if os(Linux)
        guard limiter != nil else { return nil }
        #endif
    }

    /// Blocks. Throws ``FilesError`` for what is no image of the format, or too large a one.
    func header(of source: String, _ format: ImageFormat, _ settings: ImageSettings) throws -> ImageHeader {
        let head = try run([header, "-a", source])
        guard head.status == 0, let header = ImageHeader(head.output), header.loader == format.loader else {
            throw FilesError.noImage
        }
        let (pixels, overflows) = header.width.multipliedReportingOverflow(by: header.height)
        guard !overflows, pixels <= settings.maximumPixels else { throw FilesError.tooManyPixels }
        return header
    }

    /// Blocks. `target` ends with the options of its saver. Throws ``FilesError`` for what cannot be decoded.
    func render(_ source: String, _ arguments: [String], to target: String) throws {
        let command = [thumbnail, source] + arguments + ["--export-profile", "srgb", "--output", target]
        guard try run(command).status == 0 else { throw FilesError.noImage }
    }

    private func run(_ command: [String]) throws -> (status: Int32, output: String) {
        var command = command
        if let limiter {
            command =
                [
                    limiter, "--as=\(Self.maximumMemoryBytes)", "--cpu=\(Self.maximumSeconds)",
                    "--fsize=\(Self.maximumOutputBytes)", "--core=0", "--",
                ] + command
        }
        // None of our secrets. What libvips does not trust, such as SVG, stays unread.
        let environment = [
            "PATH": "/usr/bin:/bin", "LC_ALL": "C", "VIPS_BLOCK_UNTRUSTED": "1", "VIPS_CONCURRENCY": "1",
            "MALLOC_ARENA_MAX": "1",
        ]
        return try ImageProcess.run(command, environment, within: .seconds(2 * Self.maximumSeconds))
    }
}

extension FilesError {
    static let noImage = FilesError(
        400,
        "InvalidRequest",
        "InvalidRequest",
        "The source image is invalid or unsupported for rendering"
    )
    static let tooManyPixels = FilesError(
        400,
        "InvalidRequest",
        "InvalidRequest",
        "The source image resolution is too large to process"
    )
    static let imageBytes = FilesError(
        400,
        "InvalidRequest",
        "InvalidRequest",
        "The source image is too large to process"
    )
    static let imagesAreOff = FilesError(
        400,
        "FeatureNotEnabled",
        "FeatureNotEnabled",
        "This server renders no images",
        hint: "install libvips-tools, and see IMAGES"
    )
    static let imagesAreBusy = FilesError(
        429,
        "SlowDown",
        "SlowDown",
        "Too many images are being rendered, try again",
        status: 429
    )
}
