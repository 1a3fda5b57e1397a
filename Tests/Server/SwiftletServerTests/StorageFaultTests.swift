import Foundation
import SwiftletAuth
import SwiftletPostgres
import SwiftletTesting
import Testing

/// Files of `swiftlet serve` on a disk that is full, and of one that is killed. Servers are started and ended, which takes
/// seconds.
@Suite(.needsDatabase, .hangLimit) final class StorageFaultTests: Sendable {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute(
            "INSERT INTO storage.buckets (id, name, public) VALUES ('b', 'b', true)"
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var environment: [String: String] {
        [
            "DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "APPS": "none", "HOST": "127.0.0.1",
            "STORAGE_PATH": "\(folder)/disk/files",
        ]
    }

    /// A disk of eight megabytes where a mount is allowed; else no file may have more than eight. The kernel refuses what
    /// does not fit in either case.
    private static let smallDisk = [
        "/bin/sh", "-c",
        """
        disk=$1; shift
        if unshare -m true 2> /dev/null; then
            exec unshare -m /bin/sh -c 'disk=$1; shift; mount -t tmpfs -o size=8m none "$disk" && exec "$@"' sh "$disk" "$@"
        fi
        trap '' XFSZ
        ulimit -f 16384
        exec "$@"
        """, "sh",
    ]

    @Test func `a full disk refuses what does not fit, and nothing of that stays`() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/disk", withIntermediateDirectories: true)
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            environment,
            through: Self.smallDisk + ["\(folder)/disk"]
        )
        let (large, small) = (Self.bytes(10_000_000), Self.bytes(6_000_000))
        for _ in 0..<3 {
            #expect(try await upload("large", large, port) == 500)
        }
        #expect(try await download("large", port).status == 400)
        // It has room for this only if nothing is left of those.
        #expect(try await upload("small", small, port) == 200)
        #expect(try await download("small", port).body == small)

        #expect(try BlockingConnection.connect(to: url).query("SELECT count(*) FROM storage.objects") == [["1"]])

        // Of a resumable upload what has come is kept, until it is ended.
        let path = try await begin("other", 9_000_000, port)
        let refused = try await patch(path, Self.bytes(9_000_000), at: 0, port)
        #expect(refused.hasPrefix("HTTP/1.1 500"), "\(refused)")
        let kept = try #require(try await offset(path, port))
        #expect(kept < 9_000_000)
        let ended = try await text("DELETE \(path) HTTP/1.1\r\n\(try head())Connection: close\r\n\r\n", port)
        #expect(ended.hasPrefix("HTTP/1.1 204"), "\(ended)")
        #expect(try await upload("tiny", Self.bytes(1_000_000), port) == 200)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `a backup that its disk does not hold is none`() async throws {
        let disk = "\(folder)/small"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        #expect(try await upload("large", Self.bytes(10_000_000), port) == 200)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
        let script = """
            "$0" backup create --place "\(disk)/backups"; echo "status $?"; "$0" backup list --place "\(disk)/backups"
            """
        let backup = try SwiftletProcess(
            [],
            in: folder,
            environment,
            through: Self.smallDisk + [disk, "/bin/sh", "-c", script]
        )
        _ = try await backup.end()
        #expect(backup.text.contains("status 1"), "\(backup.text) \(backup.errorText)")
        #expect(!backup.text.contains("Z-"), "\(backup.text)")
        #expect(backup.errorText.contains("storage is not available"), "\(backup.errorText)")
    }

    @Test func `a server that is killed within a chunk keeps what has come of it`() async throws {
        let content = Self.bytes(3_000_000)
        let (first, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        let path = try await begin("large", content.count, port)
        let client = try SocketClient(port: port)
        try client.send(
            "PATCH \(path) HTTP/1.1\r\n\(try head())Content-Type: application/offset+octet-stream\r\nUpload-Offset: 0\r\n"
                + "Content-Length: \(content.count)\r\n\r\n"
        )
        try await blocking { Result { try client.send(Array(content[..<2_000_000])) } }.get()
        let hasArrived = try await eventually(within: .seconds(60)) { try await offset(path, port) == 2_000_000 }
        #expect(hasArrived)
        first.send(SIGKILL)
        #expect(try await first.end() == -SIGKILL)

        let (second, newPort) = try await SwiftletProcess.serveReady(in: folder, environment)
        let kept = try #require(try await offset(path, newPort))
        #expect(kept == 2_000_000)
        let rest = Array(content[kept...])
        let answer = try await patch(path, rest, at: kept, newPort)
        #expect(answer.hasPrefix("HTTP/1.1 204"), "\(answer)")
        #expect(try await download("large", newPort).body == content)
        second.send(SIGTERM)
        #expect(try await second.end() == 0)
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
    }

    private func head() throws -> String {
        let payload = #"{"role":"service_role","iat":1700000000,"exp":4000000000}"#
        let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
        return "Host: x\r\nAuthorization: Bearer \(token)\r\nTus-Resumable: 1.0.0\r\n"
    }

    /// What answers a request on a connection of its own.
    private func text(_ request: String, _ port: Int, _ body: [UInt8] = []) async throws -> String {
        try await blocking {
            Result {
                let client = try SocketClient(port: port)
                try client.send(request)
                // Who refuses may do so before all of it has come.
                if !body.isEmpty { try? client.send(body) }
                return try client.rest()
            }
        }.get()
    }

    private func upload(_ name: String, _ content: [UInt8], _ port: Int) async throws -> Int {
        let answer = try await text(
            "POST /storage/v1/object/b/\(name) HTTP/1.1\r\n\(try head())Content-Length: \(content.count)\r\n"
                + "Connection: close\r\n\r\n",
            port,
            content
        )
        return Int(answer.dropFirst(9).prefix(3)) ?? 0
    }

    /// The path of a resumable upload.
    private func begin(_ name: String, _ length: Int, _ port: Int) async throws -> String {
        let pairs = [("bucketName", "b"), ("objectName", name)]
        let metadata = pairs.map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
        let made = try await text(
            "POST /storage/v1/upload/resumable HTTP/1.1\r\n\(try head())Upload-Length: \(length)\r\n"
                + "Upload-Metadata: \(metadata)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            port
        )
        let identifier = try #require(made.firstMatch(of: /(?i)location: \S*?([0-9a-f-]{36})/), "\(made)").1
        return "/storage/v1/upload/resumable/\(identifier)"
    }

    private func patch(_ path: String, _ content: [UInt8], at offset: Int, _ port: Int) async throws -> String {
        try await text(
            "PATCH \(path) HTTP/1.1\r\n\(try head())Content-Type: application/offset+octet-stream\r\n"
                + "Upload-Offset: \(offset)\r\nContent-Length: \(content.count)\r\nConnection: close\r\n\r\n",
            port,
            content
        )
    }

    private func offset(_ path: String, _ port: Int) async throws -> Int? {
        let answer = try await text("HEAD \(path) HTTP/1.1\r\n\(try head())Connection: close\r\n\r\n", port)
        return answer.firstMatch(of: /(?i)upload-offset: (\d+)/).flatMap { Int($0.1) }
    }

    private func download(_ name: String, _ port: Int) async throws -> (status: Int, body: [UInt8]) {
        try await blocking {
            Result {
                let client = try SocketClient(port: port)
                try client.send("GET /storage/v1/object/public/b/\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
                let reply = try client.reply(isHead: true)
                var body: [UInt8] = []
                let length = reply.header("content-length").flatMap { Int($0) } ?? 0
                while body.count < length { body += try client.bytes(min(250_000, length - body.count)) }
                return (reply.status, body)
            }
        }.get()
    }
}
