import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletBackups

@Suite(.hangLimit) struct ProgramTests {
    @Test func `passwords are on no command line`() throws {
        let connection = try ProgramConnection("postgresql://ada:hunt%27er2@db.example:5433/app?sslmode=require")
        #expect(connection.environment["PGPASSWORD"] == "hunt'er2")
        #expect(!connection.text.contains("hunt"))
        for part in ["host='db.example'", "port='5433'", "user='ada'", "dbname='app'", "sslmode='require'"] {
            #expect(connection.text.contains(part))
        }
        #expect(throws: BackupError.self) { try ProgramConnection("postgresql:///a?sslpassword=hunter2") }
    }

    @Test func `a quote in a name ends no value`() throws {
        let connection = try ProgramConnection(#"host=/tmp dbname='it\'s \\ odd'"#)
        #expect(connection.text.contains(#"dbname='it\'s \\ odd'"#))
    }

    @Test func `programs get none of the server's secrets`() {
        let ours = ["PATH": "/bin", "JWT_SECRET": "x", "S3_SECRET_KEY": "y", "PGSSLROOTCERT": "z", "HOME": "/root"]
        let theirs = PostgresProgram.environment(ours)
        #expect(theirs == ["PATH": "/bin", "PGSSLROOTCERT": "z", "HOME": "/root", "LC_ALL": "C"])
    }

    /// Versions beside each other, as Debian's packages have them.
    @Test func `takes the program of the server's version, else the oldest that is newer`() throws {
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-programs-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var path: [String] = []
        for (name, version) in [("a", "997.3"), ("b", "999.1 (Debian 999.1-1)"), ("c", "998beta1"), ("d", "")] {
            path.append("\(folder)/\(name)")
            try FileManager.default.createDirectory(atPath: path.last ?? "", withIntermediateDirectories: true)
            let file = "\(folder)/\(name)/pg_dump"
            try Data("#!/bin/sh\necho 'pg_dump (PostgreSQL) \(version)'\n".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        let environment = ["PATH": path.joined(separator: ":")]
        for (major, folderName) in [(997, "a"), (998, "c"), (999, "b"), (996, "a")] {
            let program = try PostgresProgram.find("pg_dump", major: major, environment: environment)
            #expect(program.path == "\(folder)/\(folderName)/pg_dump")
        }
        let error = try #require(throws: BackupError.self) {
            try PostgresProgram.find("pg_dump", major: 1000, environment: environment)
        }
        #expect(error.description.contains("PostgreSQL 1000 or newer is missing (there is pg_dump (PostgreSQL) 999.1"))
        #expect(throws: BackupError.self) { try PostgresProgram.find("pg_nothing", major: 15, environment: [:]) }
    }

    @Test(arguments: [
        FileEntry(sha256: nil, size: 0, key: nil, version: nil, bucket: nil, name: nil, stamp: nil),
        FileEntry(
            sha256: "",
            size: .max,
            key: "\t\n\r\\",
            version: "\\N",
            bucket: "N",
            name: "a\\tb",
            stamp: "é",
            type: ""
        ),
    ])
    func `names of all kinds come back from the list`(entry: FileEntry) throws {
        #expect(try FileList.decode(FileList.encode([entry, entry])) == [entry, entry])
    }

    @Test(arguments: ["a\n", "\t\t\t\t\t\t\t\n", "a\t-1\t\t\t\t\t\t\n", "a\t1\t\t\t\t\t\t\t\n"])
    func `refuses what is no list`(text: String) {
        #expect(throws: BackupError.self) { try FileList.decode(Array(text.utf8)) }
    }

    @Test(arguments: ["", "20261127T030000Z", "20261127T030000Z-0000000G", "20261327T030000Z-00000000", "../x"])
    func `refuses what is no name of a backup`(text: String) { #expect(SnapshotID(text) == nil) }

    @Test func `names of backups are in their order, also within a second`() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var last: SnapshotID?
        for seconds in [0, 0, -5, 1, 1] as [Double] {
            let next = try #require(SnapshotID.make(at: now + seconds, after: last))
            if let last { #expect(last < next) }
            last = next
        }
        #expect(last?.began == now + 1)
    }
}
