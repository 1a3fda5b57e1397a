import SwiftletAuth
import SwiftletBlockingPool
import SwiftletBytes
import SwiftletEssentials
import SwiftletStorage

/// One object as an image.
struct ImageRequest: Sendable {
    let row: ObjectRow
    let options: ImageOptions
    let acceptsWebP: Bool

    /// Says all that decides over the content: a file that is replaced has another version.
    func name() throws -> String {
        let choice = options.format == nil ? "\(acceptsWebP)" : ""
        let text = "\(row.id)\n\(row.version ?? "")\n\(row.eTag)\n\(options.claim)\n\(choice)"
        return Hexadecimal.encode(try MessageDigest.sha256(Array(text.utf8)))
    }
}

/// Renders objects as images, once for each size and format.
struct ImageRenderer: Sendable {
    let settings: ImageSettings
    private let files: FileStore
    private let program: ImageProgram
    private let cache: ImageCache
    private let queue: ImageQueue
    private let threads: BlockingPool

    /// nil where no images are rendered.
    init?(_ settings: ImageSettings, _ files: FileStore) {
        guard settings.isOn, let folder = settings.folder.map({ URL(fileURLWithPath: $0).path }),
            let program = ImageProgram(searchPath: settings.searchPath)
        else { return nil }
        self.settings = settings
        self.files = files
        self.program = program
        let width = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        queue = ImageQueue(width: width, depth: 64)
        threads = BlockingPool("images", width: width)
        cache = ImageCache(folder: folder, maximumBytes: settings.cacheBytes)
    }

    /// `owner` is who waits behind all others if they ask for much. Throws ``FilesError`` for what is no image or too
    /// large, and when too much waits.
    func image(_ request: ImageRequest, for owner: String) async throws -> (content: StoredObject, format: ImageFormat)
    {
        let image = try await cache.image(request.name()) { path in
            try await queue.run(for: owner) { try await render(request, to: path) }
        }
        guard let image, let format = try await Self.format(of: image) else { throw FilesError.imagesAreBusy }
        return (image, format)
    }

    private func render(_ request: ImageRequest, to target: String) async throws {
        let object = try await files.open(request.row)
        guard object.length <= settings.maximumBytes else { throw FilesError.imageBytes }
        guard let format = try await Self.format(of: object) else { throw FilesError.noImage }
        let source = "\(target).source"
        defer { try? FileManager.default.removeItem(atPath: source) }
        try await Self.write(object, to: source)
        let output = request.options.output(of: format, acceptsWebP: request.acceptsWebP)
        let (program, settings, options) = (program, settings, request.options)
        try await threads.finish {
            let path = target + output.suffix
            defer { try? FileManager.default.removeItem(atPath: path) }
            let header = try program.header(of: source, format, settings)
            try program.render(source, options.arguments(for: header), to: path + output.saving(options.quality ?? 80))
            try FileManager.default.moveItem(atPath: path, toPath: target)
        }
    }

    /// By the first bytes; nil for what is no image.
    private static func format(of object: StoredObject) async throws -> ImageFormat? {
        var head: [UInt8] = []
        for try await chunk in object.chunks(in: 0..<min(object.length, ImageFormat.longestMark)) { head += chunk }
        return ImageFormat(firstBytes: head)
    }

    /// Decoders read files, and the object may lie elsewhere.
    private static func write(_ object: StoredObject, to path: String) async throws {
        guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let file = OpenFile(forWritingAtPath: path)
        else { throw FilesError.internalError }
        defer { try? file.close() }
        for try await chunk in object.chunks { try file.write(contentsOf: chunk) }
    }
}
