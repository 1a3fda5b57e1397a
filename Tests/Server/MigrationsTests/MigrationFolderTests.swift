import Foundation
import SwiftletMigrations
import Testing

@Suite struct MigrationFolderTests {
    @Test(arguments: [
        ("0001_first.sql", 1), ("0042_add_phone.sql", 42), ("00123_a.sql", 123), ("12345_b-c.sql", 12345),
        ("2147483647_last.sql", 2_147_483_647),
    ])
    func `reads the number of a file`(name: String, number: Int) throws {
        #expect(try MigrationFile(fileName: name, text: "").number == number)
    }

    @Test(arguments: [
        "1_a.sql", "001_a.sql", "0001.sql", "0001_.sql", "0000_a.sql", "x0001_a.sql", "0001-a.sql", "٠٠٠١_a.sql",
        "1234567890123456789_a.sql",
    ])
    func `refuses a file that would silently never run`(name: String) throws {
        #expect(throws: MigrationError.badFileName(name)) { try MigrationFile(fileName: name, text: "") }
    }

    @Test func `refuses a file that C would cut short, by its name`() throws {
        let error = try #require(throws: MigrationError.self) {
            try MigrationFile(fileName: "0001_nul.sql", text: "SELECT 1;\0 SELECT 2")
        }
        #expect(error.description.hasPrefix("0001_nul.sql "))
        #expect(error.isLasting)
    }

    @Test func `sorts by number and passes over other files`() throws {
        let folder = try TemporaryFolder([
            "0010_ten.sql": "", "0002_two.sql": "", "README.md": "", "00003_three.sql": "", "0002_two.sql.orig": "",
        ])
        #expect(try folder.migrations.load().map(\.name) == ["0002_two", "00003_three", "0010_ten"])
    }

    @Test func `refuses two files with one number`() throws {
        let folder = try TemporaryFolder(["0002_two.sql": "", "00002_other.sql": ""])
        #expect {
            try folder.migrations.load()
        } throws: {
            guard case .duplicateNumber = $0 as? MigrationError else { return false }
            return true
        }
    }

    @Test func `reads the same text from a checkout with other line ends`() throws {
        #expect(try MigrationFile(fileName: "0001_a.sql", text: "a;\r\nb;\r\n").text == "a;\nb;\n")
    }

    @Test(arguments: [("add phone", "0008_add_phone.sql"), ("Add-Phone", "0008_add_phone.sql"), ("x2", "0008_x2.sql")])
    func `makes the next file`(name: String, file: String) throws {
        let folder = try TemporaryFolder(["0007_seven.sql": ""])
        let path = try folder.migrations.create(name)
        #expect(path == "\(folder.path)/\(file)")
        #expect(try folder.migrations.load().last?.number == 8)
    }

    @Test(arguments: ["", "../evil", "a;b", "ä", "123"])
    func `refuses a name that is none`(name: String) throws {
        let folder = try TemporaryFolder([:])
        #expect(throws: MigrationError.badName(name)) { try folder.migrations.create(name) }
    }

    @Test func `finds the configured folder, the working directory's, then the program's`() throws {
        let folder = try TemporaryFolder([:])
        let files = FileManager.default
        try files.createDirectory(atPath: "\(folder.path)/bin/migrations", withIntermediateDirectories: true)
        let program = "\(folder.path)/bin/swiftlet"
        func find(_ configured: String?) throws -> String {
            try MigrationFolder.find(configured, workingDirectory: folder.path, program: program).path
        }
        #expect(try find(nil) == "\(folder.path)/bin/migrations")
        try files.createDirectory(atPath: "\(folder.path)/migrations", withIntermediateDirectories: true)
        #expect(try find(nil) == "\(folder.path)/migrations")
        #expect(try find("\(folder.path)/bin") == "\(folder.path)/bin")
        #expect(throws: MigrationError.folderNotFound(searched: ["/nowhere"])) { try find("/nowhere") }
    }

    @Test func `each folder below is an owner's`() throws {
        let folder = try TemporaryFolder(["0001_one.sql": "SELECT 1"])
        try FileManager.default.createDirectory(atPath: folder.path + "/shop", withIntermediateDirectories: true)
        try "SELECT 2".write(toFile: folder.path + "/shop/0001_wares.sql", atomically: true, encoding: .utf8)
        let files = try folder.migrations.load()
        #expect(files.map(\.owner) == ["app", "shop"])
        #expect(files.map(\.name) == ["0001_one", "0001_wares"])
    }

    @Test func `a new file goes to the only owner, behind what the database knows`() throws {
        let folder = try TemporaryFolder([:])
        try FileManager.default.createDirectory(atPath: folder.path + "/shop", withIntermediateDirectories: true)
        let path = try folder.migrations.create("wares") { $0 == "shop" ? 41 : 0 }
        #expect(path.hasSuffix("/shop/0042_wares.sql"))
    }

    @Test func `where several owners have folders one must be named`() throws {
        let folder = try TemporaryFolder([:])
        for owner in ["bar", "shop"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(owner)",
                withIntermediateDirectories: true
            )
        }
        #expect(throws: MigrationError.chooseOwner(["bar", "shop"])) { try folder.migrations.create("wares") }
        #expect(try folder.migrations.create("wares", owner: "bar").hasSuffix("/bar/0001_wares.sql"))
    }
}
