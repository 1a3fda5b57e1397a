import SwiftletAuth
import SwiftletCConsole
import SwiftletEssentials
import SwiftletHTTP

/// The files of the console: part of the binary, and the same as in the repository.
struct Assets: Sendable {
    private struct File: Sendable {
        let bytes: [UInt8]
        let compressed: [UInt8]
    }

    private let files: [String: File]
    /// Changes with any of the files, so that browsers may keep them for ever.
    let version: String
    private let folder: String?

    /// With a `folder`, its files are read at each request: for work on the console.
    init(folder: String?) {
        var files: [String: File] = [:]
        for index in 0..<swiftlet_console_asset_count {
            guard let asset = unsafe swiftlet_console_asset_at(index)?.pointee else { continue }
            let bytes = unsafe Array(UnsafeBufferPointer(start: asset.bytes, count: asset.count))
            unsafe files[String(cString: asset.name)] = File(bytes: bytes, compressed: Self.gzip(bytes))
        }
        self.files = files
        self.folder = folder
        let all = files.sorted { $0.key < $1.key }.flatMap { $0.value.bytes }
        let digest = (try? MessageDigest.sha256(all)) ?? []
        version = digest.prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Nil for a file that is none of the console's.
    func response(_ name: String, to request: Request) -> Response? {
        guard !name.hasSuffix(".html"), let file = files[name] else { return nil }
        var response: Response
        if let edited = edited(name) {
            response = Response(body: edited)
        } else if Self.accepts(request), !file.compressed.isEmpty {
            response = Response(body: file.compressed)
            response.headers.append("Content-Encoding", "gzip")
        } else {
            response = Response(body: file.bytes)
        }
        response.headers.append(.contentType, Self.type(of: name))
        if folder == nil {
            response.headers.append(.cacheControl, "public, max-age=31536000, immutable")
            response.headers.append(.vary, "Accept-Encoding")
            response.isCacheable = true
        }
        return response
    }

    /// A page of the console, whose links lead to the files of this version below `root`.
    func page(_ name: String, below root: String) -> Response {
        let bytes = edited(name) ?? files[name]?.bytes ?? []
        let text = String(decoding: bytes, as: UTF8.self)
        var response = Response(body: Array(text.replacing("{assets}", with: "\(root)/a/\(version)").utf8))
        response.headers.append(.contentType, "text/html; charset=utf-8")
        for (name, value) in Self.protection { response.headers.append(name, value) }
        return response
    }

    /// No script but ours, no frame around us, no word to others.
    static let protection: [(Headers.Name, String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
        ),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Frame-Options", "DENY"),
    ]

    private func edited(_ name: String) -> [UInt8]? {
        guard let folder else { return nil }
        return (try? Data(contentsOf: URL(filePath: folder).appending(path: name))).map { Array($0) }
    }

    private static func accepts(_ request: Request) -> Bool {
        let codings = request.header("Accept-Encoding")?.lowercased() ?? ""
        return codings.contains("gzip") && !codings.contains("gzip;q=0")
    }

    private static func type(of name: String) -> String {
        name.hasSuffix(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }

    /// Empty on failure.
    private static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: swiftlet_gzip_bound(bytes.count)) { output, count in
            count = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe swiftlet_gzip(input.baseAddress, input.count, output.baseAddress, output.count)
            }
        }
    }
}
