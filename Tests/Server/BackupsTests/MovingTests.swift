import Foundation
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletBackups

/// Backups that come back elsewhere: to another role, from Supabase's folder.
@Suite(.needsDatabase, .hangLimit) struct MovingTests {
    @Test func `a role that is no superuser restores, and owns everything`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let role = "owner_\(UUID().uuidString.prefix(8).lowercased())"
        let empty = try TestDatabase.createEmpty()
        let name = try BlockingConnection.connect(to: empty).query("SELECT current_database()").first?[0] ?? ""
        try BlockingConnection.connect(to: empty).execute(
            "CREATE ROLE \(role) LOGIN; ALTER DATABASE \(name) OWNER TO \(role)"
        )
        let url = empty.replacing("user=postgres", with: "user=\(role)")
        try #require(url != empty)
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        let id = try await site.target.snapshot(named: nil)
        _ = try await BackupRestoration(site.target, into: url, store).run(id)
        let connection = try BlockingConnection.connect(to: url)
        #expect(try connection.query("SELECT count(*) FROM storage.objects") == [["1"]])
        #expect(
            try connection.query("SELECT tableowner FROM pg_tables WHERE schemaname = 'storage' GROUP BY 1") == [[role]]
        )
        try BlockingConnection.connect(to: empty).execute(
            "REASSIGN OWNED BY \(role) TO postgres; DROP OWNED BY \(role)"
        )
        try BlockingConnection.connect(to: site.url).execute(
            "ALTER DATABASE \(name) OWNER TO postgres; DROP ROLE \(role)"
        )
    }

    /// On a server that has none of them.
    @Test func `roles come back with what they may, without passwords`() async throws {
        let site = try BackupSite()
        let role = "Odd \"role'\(UUID().uuidString.prefix(8))"
        let quoted = "\"\(role.replacing("\"", with: "\"\""))\""
        let name = try BlockingConnection.connect(to: site.url).query("SELECT current_database()").first?[0] ?? ""
        try site.execute(
            """
            CREATE ROLE \(quoted) NOLOGIN NOINHERIT BYPASSRLS PASSWORD 'hunter2';
            ALTER ROLE \(quoted) SET statement_timeout = '3s';
            ALTER ROLE \(quoted) SET application_name = 'x $role$ $r1$ y''\\';
            ALTER ROLE \(quoted) SET search_path = public, "a ""b, c";
            ALTER ROLE \(quoted) IN DATABASE \(name) SET work_mem = '5MB';
            ALTER DATABASE \(name) SET search_path = public, extensions;
            GRANT authenticated TO \(quoted);
            CREATE TABLE public.theirs (id integer); ALTER TABLE public.theirs OWNER TO \(quoted)
            """
        )
        _ = try await site.creation.run()
        let id = try await site.target.snapshot(named: nil)
        let script = try await SnapshotReader(site.target, id).roles()
        #expect(!script.contains("hunter2") && !script.contains("SCRAM"))
        try await TrialRestoration(site.target).run(id)
        try site.execute("DROP TABLE public.theirs; DROP ROLE \(quoted); ALTER DATABASE \(name) RESET ALL")
        try site.execute(script)
        let row = try BlockingConnection.connect(to: site.url).query(
            """
            SELECT rolcanlogin, rolinherit, rolbypassrls, rolconfig, pg_has_role(rolname, 'authenticated', 'MEMBER')
            FROM pg_roles WHERE rolname = $1
            """,
            [role]
        )
        let settings =
            ##"{"application_name=x $role$ $r1$ y'\\","search_path=public, \"a \"\"b, c\"",statement_timeout=3s}"##
        #expect(row.first?[3] == settings)
        #expect(row.map { [$0[0], $0[1], $0[2], $0[4]] } == [["f", "f", "t", "t"]])
        let ofDatabase = try BlockingConnection.connect(to: site.url).query(
            """
            SELECT setrole <> 0, setconfig FROM pg_db_role_setting
            WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1
            """
        )
        #expect(ofDatabase == [["f", #"{"search_path=public, extensions"}"#], ["t", "{work_mem=5MB}"]])
        try site.execute("DROP ROLE \(quoted)")
    }

    @Test func `files that Supabase has stored go with their rows`() async throws {
        let site = try BackupSite()
        let names = ["folder/ä b.png", "version-1"]
        let file = "\(site.folder)/supabase/pictures/\(names.joined(separator: "/"))"
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("theirs".utf8).write(to: URL(fileURLWithPath: file))
        try site.execute(
            """
            INSERT INTO storage.objects (bucket_id, name, version) VALUES
                ('pictures', 'folder/ä b.png', 'version-1'), ('pictures', '../../x', 'version-2')
            """
        )
        let first = try await site.creation.run()
        // No row leads out of the folder.
        #expect((first.files, first.newFiles, first.missing) == (2, 1, 1))
        #expect(try await site.creation.run().newFiles == 0)
        let id = try await site.target.snapshot(named: nil)
        let url = try TestDatabase.createEmpty()
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        await #expect(throws: BackupError.self) {
            _ = try await BackupRestoration(site.target, into: url, store).run(id)
        }
        let path = "\(site.folder)/restored-supabase"
        _ = try await BackupRestoration(site.target, into: url, store, supabasePath: path).run(id)
        let restored = "\(path)/pictures/\(names.joined(separator: "/"))"
        #expect(try String(contentsOfFile: restored, encoding: .utf8) == "theirs")
        let modes = try [restored, "\(path)/pictures"].map { path in
            try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
        }
        #expect(modes == [0o640, 0o750])
    }
}
