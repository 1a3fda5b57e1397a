import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// `swiftlet storage`, as operators type it, against a running server.
@Suite(.needsDatabase, .hangLimit) final class StorageCommandTests: Sendable {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute("INSERT INTO storage.buckets (id, name) VALUES ('b', 'b')")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var environment: [String: String] {
        ["DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "APPS": "none", "HOST": "127.0.0.1"]
    }

    private func storage(_ arguments: [String], port: Int? = nil, status: Int32 = 0) async throws -> String {
        var environment = environment
        if let port { environment["PORT"] = "\(port)" }
        let result = try await SwiftletProcess.run(["storage"] + arguments, in: folder, environment)
        #expect(result.status == status, "\(arguments): \(result.errors)")
        return result.output + result.errors
    }

    private func write(_ text: String, to name: String) throws {
        let path = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: path)
    }

    private func read(_ name: String) throws -> String {
        try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
    }

    @Test func `copies, lists, synchronizes and removes`() async throws {
        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        #expect(try await storage(["ls"], port: port) == "storage://b\n")
        try write("a cat", to: "local/cat 1.txt")
        _ = try await storage(["cp", "local/cat 1.txt", "storage://b/cats/"], port: port)
        let list = try await storage(["ls", "storage://b/cats/"], port: port)
        #expect(list.contains("text/plain") && list.contains("cats/cat 1.txt"))
        #expect(try await storage(["ls", "storage://b"], port: port).hasSuffix("cats/\n"))
        _ = try await storage(["cp", "storage://b/cats/cat 1.txt", "copy.txt"], port: port)
        #expect(try read("copy.txt") == "a cat")
        _ = try await storage(["cp", "storage://b/cats/cat 1.txt", "storage://b/two"], port: port)

        // In several pieces, both ways.
        let large = String(repeating: "0123456789abcdef", count: (StorageAPI.pieceBytes + 100_000) / 16)
        try write(large, to: "local/large.bin")
        try write("", to: "local/deep/empty")
        let up = try await storage(["sync", "local", "storage://b/all"], port: port)
        #expect(up.split(separator: "\n").count == 3)
        #expect(try await storage(["sync", "local", "storage://b/all"], port: port) == "")
        try write("changed", to: "local/deep/empty")
        #expect(try await storage(["sync", "local", "storage://b/all"], port: port) == "upload all/deep/empty\n")
        _ = try await storage(["sync", "storage://b/all", "down"], port: port)
        #expect(try read("down/large.bin") == large)
        #expect(try read("down/deep/empty") == "changed")
        try write("extra", to: "down/extra")
        #expect(try await storage(["sync", "--delete", "storage://b/all", "down"], port: port) == "remove extra\n")
        try write("kept", to: "down/extra-kept")
        try FileManager.default.removeItem(atPath: "\(folder)/local/large.bin")
        // What the listing leaves out stays: hidden names, and what lies behind a link.
        for name in [".hidden", "linked/a"] {
            _ = try await storage(["cp", "down/extra-kept", "storage://b/all/\(name)"], port: port)
        }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/local/linked",
            withDestinationPath: "\(folder)/down"
        )
        let wouldGo = try await storage(["sync", "--delete", "--dry-run", "local", "storage://b/all"], port: port)
        #expect(wouldGo == "would remove all/large.bin\n")
        // A link to the folder is the folder, and one without files removes nothing.
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/link",
            withDestinationPath: "\(folder)/local"
        )
        #expect(try await storage(["sync", "--delete", "--dry-run", "link", "storage://b/all"], port: port) == wouldGo)
        try FileManager.default.createDirectory(atPath: "\(folder)/none", withIntermediateDirectories: true)
        let refused = try await storage(["sync", "--delete", "none", "storage://b/all"], port: port, status: 1)
        #expect(refused.contains("the source has no file"))
        let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/down/large.bin")[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        #expect(try await storage(["rm", "storage://b/two"], port: port) == "removed storage://b/two\n")
        _ = try await storage(["rm", "storage://b/two"], port: port, status: 1)
        _ = try await storage(["rm", "storage://b"], port: port, status: 64)
        let missing = try await storage(["cp", "storage://b/nothing", "x"], port: port, status: 1)
        #expect(missing.contains("Object not found"))
        _ = try await storage(["rm", "-r", "storage://b"], port: port)
        #expect(try BlockingConnection.connect(to: url).query("SELECT count(*) FROM storage.objects") == [["0"]])
        process.send(SIGTERM)
        _ = try await process.end()
    }

    @Test func `checks that rows have their files`() async throws {
        let (process, port) = try await SwiftletProcess.serveReady(in: folder, environment)
        for name in ["kept", "lost", "changed"] {
            try write("content of \(name)", to: name)
            _ = try await storage(["cp", name, "storage://b"], port: port)
        }
        #expect(try await storage(["check", "--deep"]).hasPrefix("3 rows, 0 without their file, 0 whose"))
        let rows = try BlockingConnection.connect(to: url).query(
            "SELECT name, version FROM storage.objects ORDER BY name"
        )
        let paths = Dictionary(
            uniqueKeysWithValues: rows.map { row in
                let version = row[1] ?? ""
                return (row[0] ?? "", "\(folder)/storage/objects/\(version.dropFirst(3).prefix(2))/\(version)")
            }
        )
        try FileManager.default.removeItem(atPath: paths["lost"] ?? "")
        let path = paths["changed"] ?? ""
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        try BlockingConnection.connect(to: url).execute("DELETE FROM storage.objects WHERE name = 'kept'")
        let check = try await storage(["check"], status: 1)
        #expect(check == "missing   b/lost\n2 rows, 1 without their file; 0 files of 0 bytes that no row names\n")
        let deep = try await storage(["check", "--deep"], status: 1)
        #expect(deep.contains("DIFFERENT b/changed\n"))
        try BlockingConnection.connect(to: url).execute("DELETE FROM storage.swiftlet_purge")
        #expect(try await storage(["check"], status: 1).contains("1 files of"))
        process.send(SIGTERM)
        _ = try await process.end()
    }

    @Test(arguments: [
        (["ls", "/tmp"], "storage://bucket/folder/"), (["cp", "a", "b"], "storage://bucket/name"),
        (["cp", "s3://a/b", "c"], "invalid for '<source>'"),
        (["sync", "storage://a", "storage://b"], "the other a folder"),
        (["rm"], "locations"),
    ])
    func `says what it does not understand`(arguments: [String], mention: String) async throws {
        #expect(try await storage(arguments, status: 64).contains(mention))
    }
}
