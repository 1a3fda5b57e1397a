import SwiftletHTTP
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletFiles

/// Polyglot images: files that are an image to one reader, and a page, a program or an archive to another.
@Suite(.needsDatabase, .enabled(if: Images.canRender, "install libvips-tools"), .hangLimit)
struct PolyglotTests {
    private static let script = Array("/*<script>alert(document.domain)</script>*/=1;".utf8)
    private static let archive = Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 26) + Array("a.jar".utf8)

    private let images: Images

    init() throws { images = try Images() }

    /// Of each kind, with the name of the image that it is and the types that it may be uploaded with.
    private func polyglots() async throws -> [(kind: String, bytes: [UInt8], mark: [UInt8])] {
        let gif = try await images.make("two.gif")
        let jpeg = try await images.make("two.jpg")
        let png = try await images.make("two.png")
        // A comment of its own, behind the color table of the screen: `GIF89a` and what follows is a name in JavaScript.
        let table = gif[10] & 0x80 == 0 ? 0 : 3 << (Int(gif[10] & 7) + 1)
        let comment: [UInt8] = [0x21, 0xFE, UInt8(Self.script.count)] + Self.script + [0]
        let page = gif.prefix(13 + table) + comment + gif.dropFirst(13 + table)
        let segment: [UInt8] = [0xFF, 0xFE, 0, UInt8(Self.script.count + 2)] + Self.script
        return [
            ("GIF and page", Array(page), Self.script),
            ("JPEG and page", jpeg.prefix(2) + segment + jpeg.dropFirst(2), Self.script),
            ("JPEG and archive", jpeg + Self.archive, Self.archive),
            ("PNG and archive", png + Self.archive, Self.archive),
            ("PNG", png, []),
        ]
    }

    /// Each is given back as it came, under the type that it was given, which no browser may take for another; a page,
    /// never.
    @Test(arguments: [
        ("image/gif", "image/gif", false), ("image/png", "image/png", false), ("image/jpeg", "image/jpeg", false),
        ("text/html", "text/plain", false), ("application/xhtml+xml", "text/plain", true),
        ("text/javascript", "text/javascript", true), ("image/svg+xml", "image/svg+xml", true),
        ("application/java-archive", "application/java-archive", true),
    ])
    func `a polyglot image is what its type says, and no page`(
        type: String,
        shown: String,
        isSandboxed: Bool
    ) async throws {
        let polyglots = try await polyglots()
        try await FilesServer.with { files in
            for (kind, bytes, _) in polyglots {
                try await upload(bytes, type, to: files)
                let link = try await files.json(.post, "object/sign/pictures/p", #"{"expiresIn":60}"#)
                let signed = String(link["signedURL"]?.string?.dropFirst() ?? "")
                for path in ["object/public/pictures/p", signed] {
                    let got = try await files.sendAnonymously(.get, path)
                    #expect(got.body == bytes, "\(kind)")
                    #expect(got.headers[.contentType] == shown, "\(kind)")
                    #expect(got.headers["X-Content-Type-Options"] == "nosniff", "\(kind)")
                    let policy = got.headers["Content-Security-Policy"]
                    #expect((policy?.hasPrefix("sandbox; default-src 'none'") ?? false) == isSandboxed, "\(kind)")
                }
            }
        }
    }

    /// The decoder is chosen by what the file is, whatever its name and type say, and what it writes is the picture alone.
    @Test(arguments: ["image/png", "text/html", "application/zip"])
    func `of a polyglot image the picture alone is rendered`(type: String) async throws {
        let polyglots = try await polyglots()
        try await FilesServer.with {
            $0.images.folder = images.cache
        } _: { files in
            for (kind, bytes, mark) in polyglots {
                try await upload(bytes, type, to: files)
                #expect(mark.isEmpty || bytes.firstRange(of: mark) != nil, "\(kind)")
                let path = "render/image/public/pictures/p?width=30"
                let got = try await files.sendAnonymously(.get, path)
                #expect(got.status == .ok, "\(kind): \(got.text)")
                #expect(try await images.size(got.body) == "30x20", "\(kind)")
                #expect(mark.isEmpty || got.body.firstRange(of: mark) == nil, "\(kind)")
                #expect(got.headers[.contentType] == ImageFormat(firstBytes: bytes)?.contentType, "\(kind)")
                #expect(got.headers["X-Content-Type-Options"] == "nosniff", "\(kind)")
            }
        }
    }

    private func upload(_ bytes: [UInt8], _ type: String, to files: FilesServer) async throws {
        let response = try await files.application.send(
            .put,
            "/storage/v1/object/pictures/p",
            token: FilesServer.token(role: "service_role"),
            bytes,
            headers: [("Content-Type", type)]
        )
        #expect(response.status == .ok, "\(response.text)")
    }
}
