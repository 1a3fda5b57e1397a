import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletFiles

/// Images, rendered by libvips.
@Suite(.needsDatabase, .enabled(if: Images.canRender, "install libvips-tools"), .hangLimit)
struct ImageTests {
    /// 60 × 40, red at the left and blue at the right.
    private let source: [UInt8]
    private let images: Images

    init() async throws {
        images = try Images()
        source = try await images.make("two.png")
    }

    private func with(
        _ change: (inout ImageSettings) -> Void = { _ in },
        _ body: (FilesServer) async throws -> Void
    ) async throws {
        try await FilesServer.with {
            $0.images.folder = images.cache
            change(&$0.images)
        } _: { files in
            try await images.upload(source, "pictures/a.png", to: files)
            try await body(files)
        }
    }

    private func size(_ response: Response) async throws -> String {
        #expect(response.status == .ok, "\(response.text)")
        return try await images.size(response.body)
    }

    @Test func `has the size that is asked for, but is never enlarged`() async throws {
        let expected: KeyValuePairs = [
            "width=30": "30x20", "height=10": "15x10", "width=30&height=30": "30x30",
            "width=30&height=30&resize=contain": "30x20", "width=30&height=30&resize=fill": "30x30",
            "width=600": "60x40", "width=600&height=600&resize=fill": "60x40", "quality=50": "60x40",
            "width=0": "1x1", "": "60x40", "width=&height=": "60x40",
        ]
        try await with { files in
            for (query, expected) in expected {
                let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?\(query)")
                #expect(try await size(response) == expected, "\(query)")
            }
        }
    }

    @Test func `has the format that is asked for or accepted`() async throws {
        let expected = [
            ("two.png", "", "", "image/png"), ("two.png", "", "image/avif,image/webp,*/*", "image/webp"),
            ("two.png", "format=origin", "image/webp", "image/png"), ("two.jpg", "", "", "image/jpeg"),
            ("two.png", "format=avif", "", "image/avif"), ("two.heic", "", "", "image/jpeg"),
            ("two.heic", "format=webp", "", "image/webp"), ("two.webp", "", "", "image/webp"),
            ("two.gif", "", "", "image/gif"), ("two.avif", "format=origin", "", "image/avif"),
        ]
        try await with { files in
            for (file, query, accept, type) in expected {
                try await images.upload(images.make(file), "pictures/\(file)", to: files)
                let path = "render/image/public/pictures/\(file)?width=30&\(query)"
                let response = try await files.sendAnonymously(.get, path, "", ["Accept": accept])
                #expect(try await size(response) == "30x20", "\(file) \(query)")
                #expect(response.headers[.contentType] == type, "\(file) \(query)")
                #expect(response.headers["Vary"]?.contains("Accept") == query.isEmpty, "\(file) \(query)")
                #expect(ImageFormat(firstBytes: response.body)?.contentType == type, "\(file) \(query)")
            }
        }
    }

    @Test func `is turned as its camera was held, and says nothing about where`() async throws {
        let photo = Images.turned(try await images.make("two.jpg"))
        #expect(String(decoding: photo, as: UTF8.self).contains("Exif"))
        try await with { files in
            try await images.upload(photo, "pictures/photo.jpg", to: files)
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/photo.jpg?height=30")
            #expect(try await size(response) == "20x30")
            #expect(!String(decoding: response.body, as: UTF8.self).contains("Exif"))
            // Orientation 6: the left side of the file is the top of the picture.
            let colors = try await images.colors(response.body)
            #expect(colors.top.red > colors.top.blue + 100, "\(colors)")
            #expect(colors.bottom.blue > colors.bottom.red + 100, "\(colors)")
        }
    }

    /// What was seen through stays so, whatever the format and however it is cut.
    @Test(arguments: ["png", "webp"], ["", "format=webp", "format=avif"])
    func `is transparent where its source is`(kind: String, query: String) async throws {
        let clear = try await images.make("clear.\(kind)")
        try await with { files in
            try await images.upload(clear, "pictures/clear", to: files)
            for resize in ["cover", "contain", "fill"] {
                let path = "render/image/public/pictures/clear?width=30&height=20&resize=\(resize)&\(query)"
                let response = try await files.sendAnonymously(.get, path)
                #expect(try await size(response) == "30x20", "\(resize)")
                let opacities = try await images.opacities(response.body)
                #expect(opacities.first ?? 0 > 250 && opacities.last ?? 255 < 5, "\(resize): \(opacities)")
            }
        }
    }

    @Test func `what may not be read is not rendered, whoever has had it rendered`() async throws {
        try await with { files in
            let path = "own/\(FilesServer.ada)/a.png"
            try await images.upload(source, path, to: files)
            let rendered = "render/image/authenticated/\(path)?width=30"
            #expect(try await size(files.send(.get, rendered, as: FilesServer.ada)) == "30x20")
            let other = try await files.send(.get, rendered, as: FilesServer.bob)
            #expect(try FilesServer.fault(other) == "404 Object not found")
            let stranger = try await files.sendAnonymously(.get, rendered)
            #expect(stranger.status == .badRequest)
            let open = try await files.sendAnonymously(.get, "render/image/public/\(path)?width=30")
            #expect(try FilesServer.fault(open) == "404 Bucket not found")
        }
    }

    @Test func `is another when the object is replaced, and is not sent to those who have it`() async throws {
        let other = try await images.make("wide.png")
        try await with { files in
            let path = "render/image/public/pictures/a.png?height=10"
            let first = try await files.sendAnonymously(.get, path)
            #expect(try await size(first) == "15x10")
            let tag = first.headers[.etag] ?? ""
            #expect(try await files.sendAnonymously(.get, path, "", ["If-None-Match": tag]).status == .notModified)
            try await images.upload(other, "pictures/a.png", to: files)
            let second = try await files.sendAnonymously(.get, path, "", ["If-None-Match": tag])
            #expect(try await size(second) == "40x10")
        }
    }

    @Test func `a link says how it is rendered, and nobody else does`() async throws {
        try await with { files in
            func link(_ body: String) async throws -> String {
                try await files.json(.post, "object/sign/pictures/a.png", body)["signedURL"]?.string ?? ""
            }
            let small = try await link(#"{"expiresIn":60,"transform":{"width":30,"resize":"contain"}}"#)
            #expect(small.hasPrefix("/render/image/sign/pictures/a.png?token="))
            let response = try await files.sendAnonymously(.get, "\(small.dropFirst())&width=60")
            #expect(try await size(response) == "30x20")
            #expect(response.headers["X-Transformations"] == "width:30,resizing_type:fit")
            #expect(response.headers["Expires"] != nil)
            let whole = try await link(#"{"expiresIn":60,"transform":{}}"#)
            #expect(whole.hasPrefix("/object/sign/"))
            let wrong = whole.replacingOccurrences(of: "/object/", with: "render/image/")
            #expect(try await files.sendAnonymously(.get, wrong).status == .badRequest)
            let plain = small.replacingOccurrences(of: "/render/image/", with: "object/")
            #expect(try await files.sendAnonymously(.get, plain).status == .badRequest)
            let keys = try LinkKeys(secret: Secret(TestApplication.secret))
            let strange: JSONObject = [
                "url": "pictures/a.png", "scope": "download", "transformations": "gravity:7", "exp": 4_000_000_000,
            ]
            let foreign = "object/sign/pictures/a.png?token=\(try keys.sign(strange))"
            #expect(try await files.sendAnonymously(.get, foreign).status == .badRequest)
            let many = try await files.json(
                .post,
                "object/sign/pictures",
                #"{"expiresIn":60,"paths":["a.png"],"transform":{"height":10}}"#
            )
            let url = many.array?.first?["signedURL"]?.string ?? ""
            #expect(try await size(files.sendAnonymously(.get, "\(url.dropFirst())")) == "15x10")
        }
    }

    @Test func `what cannot be asked for is refused with its reason`() async throws {
        let reasons: KeyValuePairs = [
            "width=a": "width must be integer", "width=-1": "width must be >= 0",
            "height=1.5": "height must be integer", "resize=stretch": "resize must be equal to one of",
            "quality=10": "quality must be 20 to 100", "quality=101": "quality must be 20 to 100",
            "format=svg": "format must be equal to one of", "width=99999999999999999999": "width must be integer",
        ]
        try await with { files in
            for (query, reason) in reasons {
                let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?\(query)")
                let fault = try FilesServer.fault(response)
                #expect(fault.hasPrefix("400 ") && fault.contains(reason), "\(query)")
            }
        }
    }

    @Test func `no decoder sees what is no image of a known format, and broken ones are refused`() async throws {
        let svg = Array(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>"#.utf8)
        let heif = Array("\0\0\0\u{18}ftypheic".utf8) + Array(repeating: 0, count: 500)
        let files: [(String, [UInt8])] = [
            ("svg", svg), ("pdf", Array("%PDF-1.7\n".utf8)), ("empty", []), ("cut", Array(source.prefix(60))),
            ("heif", heif), ("jpeg", [0xFF, 0xD8, 0xFF] + svg), ("gif", Array("GIF89a".utf8) + svg),
            ("text", Array("P3 1 1 255 0 0 0".utf8)),
        ]
        try await with { server in
            for (name, bytes) in files {
                try await images.upload(bytes, "pictures/\(name).png", to: server)
                let path = "render/image/public/pictures/\(name).png?width=5"
                let response = try await server.sendAnonymously(.get, path)
                #expect(
                    try FilesServer.fault(response)
                        == "400 The source image is invalid or unsupported for rendering",
                    "\(name)"
                )
            }
            #expect(images.cached == [])
        }
    }

    @Test func `an image with too many pixels or bytes is refused before it is decoded`() async throws {
        let bomb = try await images.make("bomb.png")
        #expect(bomb.count < 2_000_000)
        try await with { files in
            try await images.upload(bomb, "pictures/bomb.png", to: files)
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/bomb.png?width=5")
            #expect(try FilesServer.fault(response) == "400 The source image resolution is too large to process")
        }
        try await with {
            $0.maximumBytes = 20
        } _: { files in
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?width=5")
            #expect(try FilesServer.fault(response) == "400 The source image is too large to process")
        }
    }

    @Test func `a decoder that crashes takes nothing with it`() async throws {
        let programs = try images.programs(thumbnail: "kill -SEGV $$")
        try await with {
            $0.searchPath = programs
        } _: { files in
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?width=5")
            #expect(response.status == .badRequest)
            #expect(try await files.sendAnonymously(.get, "object/public/pictures/a.png").status == .ok)
            #expect(images.cached == [])
        }
    }

    @Test func `is rendered once for many who ask at the same time, and for those who come later`() async throws {
        let programs = try images.programs(thumbnail: #"echo >> "$LOG"; exec vipsthumbnail "$@""#)
        try await with {
            $0.searchPath = programs
        } _: { files in
            let path = "render/image/public/pictures/a.png?width=30"
            let statuses = try await withThrowingTaskGroup(of: Status.self) { group in
                for _ in 0..<20 { group.addTask { try await files.sendAnonymously(.get, path).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0 == .ok })
            #expect(try await files.sendAnonymously(.get, path).status == .ok)
            #expect(images.runs == 1)
            #expect(images.cached.count == 1)
        }
    }

    @Test func `a decoder has no descriptor of the server, and none of its secrets`() async throws {
        let script = #"ls /proc/self/fd | wc -l >> "$LOG"; env | wc -l >> "$LOG"; exec /usr/bin/vipsthumbnail "$@""#
        let programs = try images.programs(thumbnail: script)
        try await with {
            $0.searchPath = programs
        } _: { files in
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?width=5")
            #expect(response.status == .ok)
        }
        let counts = images.log.split(separator: "\n").compactMap { Int($0) }
        // Three, and the folder that is listed; five variables, and those of the shell.
        #expect(counts.count == 2)
        #expect(counts.first ?? 99 <= 4)
        #expect(counts.last ?? 99 <= 9)
    }

    @Test func `whoever has no place waits without a copy, and an eighth of the places is one caller's`() async throws {
        let programs = try images.programs(
            thumbnail: #"while [ ! -e "$LOG.go" ]; do sleep 0.05; done; exec /usr/bin/vipsthumbnail "$@""#
        )
        try await with {
            $0.searchPath = programs
        } _: { files in
            let width = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
            let statuses = Statuses()
            try await withThrowingTaskGroup { group in
                for side in 1...30 {
                    group.addTask {
                        let path = "render/image/public/pictures/a.png?width=\(side)"
                        let status = try await files.sendAnonymously(.get, path).status
                        statuses.all.withLock { $0.append(status) }
                    }
                }
                let areRefused = try await eventually { statuses.all.withLock { $0.count } >= 30 - width - 8 }
                #expect(areRefused)
                #expect(images.sources <= width)
                try images.release()
                try await group.waitForAll()
            }
            let all = statuses.all.withLock(\.self)
            #expect(all.count { $0 == .ok } == width + 8)
            #expect(all.count { $0 == 429 } == 30 - width - 8)
        }
        #expect(images.sources == 0)
    }

    @Test func `a folder may be named from where the server runs`() async throws {
        let up = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
        try await with {
            $0.folder = up + images.cache.dropFirst()
        } _: { files in
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png?width=30")
            #expect(try await size(response) == "30x20")
        }
    }

    @Test func `what is kept has a limit`() async throws {
        try await with {
            $0.cacheBytes = 2000
        } _: { files in
            for width in 1...30 {
                let path = "render/image/public/pictures/a.png?width=\(width)"
                #expect(try await files.sendAnonymously(.get, path).status == .ok)
            }
            let isSmall = try await eventually { images.cachedBytes <= 2000 }
            #expect(isSmall, "\(images.cachedBytes)")
            #expect(!images.cached.isEmpty)
        }
    }

    @Test func `an operator allows some sizes, or none`() async throws {
        try await with {
            $0.sizes = [30, 60]
        } _: { files in
            let path = "render/image/public/pictures/a.png?width="
            #expect(try await files.sendAnonymously(.get, path + "30").status == .ok)
            let refused = try await files.sendAnonymously(.get, path + "31")
            #expect(try FilesServer.fault(refused) == "400 31 is none of the sizes of this server: 30, 60")
            let link = try await files.send(
                .post,
                "object/sign/pictures/a.png",
                #"{"expiresIn":60,"transform":{"width":31}}"#
            )
            #expect(link.status == .badRequest)
        }
        try await with {
            $0.isOn = false
        } _: { files in
            let response = try await files.sendAnonymously(.get, "render/image/public/pictures/a.png")
            #expect(try FilesServer.fault(response) == "400 This server renders no images")
        }
    }

    /// In the order of the answers.
    private final class Statuses: Sendable {
        let all = Mutex<[Status]>([])
    }
}
