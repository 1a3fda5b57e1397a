import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// Migrations of a Supabase project, as they are, behind the file that docs/supabase.md shows.
@Suite(.needsDatabase, .hangLimit) final class SupabaseMigrationsTests {
    private let folder: String

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static let project = """
        create table public.messages (id uuid primary key default uuid_generate_v4(), body text not null);
        create table public.keys (id uuid primary key default extensions.uuid_generate_v4(), secret text);
        insert into public.keys (secret) values (crypt('word', gen_salt('bf', 4)));
        alter table public.messages enable row level security;
        create policy "Everybody reads" on public.messages for select using (true);
        alter publication supabase_realtime add table public.messages;
        create function public.greet() returns text language sql as $$ select 'hello' $$;
        grant execute on function public.greet to supabase_auth_admin;
        create function public.handle_new_user() returns trigger language plpgsql security definer as $$
        begin
            insert into public.messages (body) values (new.raw_user_meta_data ->> 'username');
            return new;
        end $$;
        create trigger on_auth_user_created after insert on auth.users
            for each row execute function public.handle_new_user();
        """

    @Test func `run in a new folder, and its triggers meet no demo accounts`() async throws {
        let page = try String(contentsOfFile: "\(TestDatabase.migrations)/../docs/supabase.md", encoding: .utf8)
        let beginning = try #require(page.firstMatch(of: /```sql\n(?<text>(?:.|\n)*?)```/)?.text)
        let migrations = "\(folder)/migrations"
        try FileManager.default.createDirectory(atPath: migrations, withIntermediateDirectories: true)
        try Data(beginning.utf8).write(to: URL(fileURLWithPath: "\(migrations)/0001_supabase.sql"))
        try Data(Self.project.utf8).write(to: URL(fileURLWithPath: "\(migrations)/20240403090422_init.sql"))

        let process = try SwiftletProcess(["dev", "--port", "0"], in: folder, [:])
        try await process.print(of: "Ctrl-C stops both.")
        let port = try #require(process.text.firstMatch(of: /serves http:\/\/127\.0\.0\.1:(?<port>\d+)/)?.port)
        let key = try #require(process.text.firstMatch(of: /Anon key: (?<key>\S+)/)?.key)
        let client = try SocketClient(port: try #require(Int(port)))
        let head = "Host: localhost\r\napikey: \(key)\r\n"
        try client.send("GET /rest/v1/messages HTTP/1.1\r\n\(head)\r\n")
        let messages = try client.reply()
        #expect(messages.status == 200 && messages.body == "[]")
        try client.send("GET /rest/v1/rpc/greet HTTP/1.1\r\n\(head)\r\n")
        #expect(try client.reply().body == #""hello""#)

        // As in production, beside it: roles belong to the whole cluster, which is private here.
        let address = String(try #require(process.text.firstMatch(of: /psql '(?<url>[^']+)'/)?.url))
        try BlockingConnection.connect(to: address).execute("CREATE DATABASE production")
        let url = address.replacing("/swiftlet?", with: "/production?")
        let production = ["DATABASE_URL": url, "APPS": "none", "MIGRATIONS_DIR": migrations]
        let migrated = try await SwiftletProcess.run(["migrate"], in: folder, production)
        #expect(migrated.status == 0 && migrated.output.contains("applied 20240403090422_init"), "\(migrated)")
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }
}
