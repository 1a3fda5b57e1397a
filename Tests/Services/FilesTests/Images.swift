import Foundation
import SwiftletHTTP
import SwiftletTesting
import SwiftletWeb

@testable import SwiftletFiles

/// Makes images and looks at them, with the programs of libvips. Its folder goes with it.
final class Images: Sendable {
    static let canRender = FileManager.default.isExecutableFile(atPath: "/usr/bin/vips")

    private let folder: String

    init() throws {
        folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-images-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var cache: String { "\(folder)/cache" }

    /// Half red and half blue, 60 × 40; `wide.…` is green and 80 × 20; `bomb.…` has 400 million pixels; `clear.…` is 60 × 40,
    /// red at the left and nothing at the right.
    func make(_ name: String) async throws -> [UInt8] {
        let path = "\(folder)/\(name)"
        switch name.split(separator: ".").first {
        case "bomb": try await vips("black", path, "20000", "20000")
        case "clear":
            try await plain("30", "40", "255 0 0", "\(folder)/left.v")
            try await plain("30", "40", "0 0 255", "\(folder)/right.v")
            for (side, alpha) in [("left", "255"), ("right", "0")] {
                try await vips("bandjoin_const", "\(folder)/\(side).v", "\(folder)/\(side)-alpha.v", alpha)
            }
            try await vips("join", "\(folder)/left-alpha.v", "\(folder)/right-alpha.v", path, "horizontal")
        case "wide":
            try await plain("80", "20", "0 255 0", "\(folder)/plain.v")
            try await vips("copy", "\(folder)/plain.v", path)
        default:
            try await plain("30", "40", "255 0 0", "\(folder)/left.v")
            try await plain("30", "40", "0 0 255", "\(folder)/right.v")
            try await vips("join", "\(folder)/left.v", "\(folder)/right.v", "\(folder)/two.v", "horizontal")
            if name.hasSuffix(".heic") {
                try await vips("heifsave", "\(folder)/two.v", path, "--compression", "hevc")
            } else {
                try await vips("copy", "\(folder)/two.v", path)
            }
        }
        return Array(try Data(contentsOf: URL(filePath: path)))
    }

    private func plain(_ width: String, _ height: String, _ color: String, _ path: String) async throws {
        try await vips("black", "\(folder)/black.v", width, height, "--bands", "3")
        try await vips("linear", "\(folder)/black.v", "\(folder)/color.v", "1", color, "--uchar")
        try await vips("copy", "\(folder)/color.v", path, "--interpretation", "srgb")
    }

    @discardableResult
    private func vips(_ arguments: String...) async throws -> String { try await Tool.run(["vips"] + arguments) }

    private func save(_ bytes: [UInt8]) throws -> String {
        let path = "\(folder)/\(UUID().uuidString)"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    /// `60x40`.
    func size(_ bytes: [UInt8]) async throws -> String {
        let text = try await Tool.run(["vipsheader", try save(bytes)])
        return text.split(separator: ": ").last?.split(separator: " ").first.map(String.init) ?? text
    }

    struct Color {
        let red: Int
        let blue: Int
    }

    /// How much is seen of the first and the last pixel, 0 to 255; of images without transparency, all.
    func opacities(_ bytes: [UInt8]) async throws -> [Int] {
        let path = try save(bytes)
        let size = try await size(bytes).split(separator: "x").compactMap { Int($0) }
        var found: [Int] = []
        for (x, y) in [(0, 0), (size[0] - 1, size[1] - 1)] {
            // Warnings may stand before them.
            let text = try await vips("getpoint", path, "\(x)", "\(y)")
            let values = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            found.append(values.count.isMultiple(of: 2) ? Int(values.last ?? 0) : 255)
        }
        return found
    }

    /// Of the first and the last pixel.
    func colors(_ bytes: [UInt8]) async throws -> (top: Color, bottom: Color) {
        let path = try save(bytes)
        let size = try await size(bytes).split(separator: "x").compactMap { Int($0) }
        func color(_ x: Int, _ y: Int) async throws -> Color {
            let values = try await vips("getpoint", path, "\(x)", "\(y)").split(separator: " ").compactMap {
                Double($0.trimmingCharacters(in: .whitespacesAndNewlines))
            }
            return Color(red: Int(values[0]), blue: Int(values[2]))
        }
        return (try await color(0, 0), try await color(size[0] - 1, size[1] - 1))
    }

    /// A JPEG that says by EXIF that its camera was held upright (orientation 6).
    static func turned(_ jpeg: [UInt8]) -> [UInt8] {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,
        ]
        let content = Array("Exif\0\0".utf8) + tiff
        // In front of what the encoder has written: the first one counts.
        return [0xFF, 0xD8, 0xFF, 0xE1, 0, UInt8(content.count + 2)] + content + jpeg.dropFirst(2)
    }

    /// A folder with a program in place of `vipsthumbnail`.
    func programs(thumbnail script: String) throws -> String {
        let path = "\(folder)/bin"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let text = "#!/bin/sh\nLOG='\(folder)/runs'\n\(script)\n"
        let attributes = [FileAttributeKey.posixPermissions: 0o700]
        let file = "\(path)/vipsthumbnail"
        _ = FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: attributes)
        return "\(path):/usr/bin:/bin"
    }

    /// What these programs have written.
    var log: String { (try? String(contentsOfFile: "\(folder)/runs", encoding: .utf8)) ?? "" }

    var runs: Int { log.count { $0 == "\n" } }

    /// Lets programs go on that wait for it.
    func release() throws { try Data().write(to: URL(filePath: "\(folder)/runs.go")) }

    /// How many copies of sources there are.
    var sources: Int { cached.count { $0.hasSuffix(".source") } }

    /// The names of the files in the cache.
    var cached: [String] {
        FileManager.default.enumerator(atPath: cache)?.compactMap { $0 as? String }.filter { $0.contains("/") } ?? []
    }

    var cachedBytes: Int {
        cached.reduce(0) { sum, name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(cache)/\(name)")
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    func upload(_ bytes: [UInt8], _ path: String, to files: FilesServer) async throws {
        let response = try await files.application.send(
            .post,
            "/storage/v1/object/\(path)",
            token: FilesServer.token(role: "service_role"),
            bytes,
            headers: [("x-upsert", "true"), ("Content-Type", "image/png")]
        )
        guard response.status == .ok else { throw Tool.Failure(description: response.text) }
    }
}
