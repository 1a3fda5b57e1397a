import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRest

/// What operators choose of `/rest/v1`, beside who may do what.
@Suite(.needsDatabase, .hangLimit) struct SettingsTests {
    @Test func `a function can answer at the root`() async throws {
        let sql = """
            CREATE DOMAIN "application/openapi+json" AS json;
            CREATE FUNCTION welcome() RETURNS "application/openapi+json" LANGUAGE sql STABLE
                AS $$ SELECT json_build_object('path', current_setting('request.path'))::"application/openapi+json" $$;
            """
        try await RestServer.with({ $0.rootFunction = "welcome" }, sql: sql) { rest in
            for type in ["application/openapi+json", "application/json"] {
                let response = try await rest.send(.get, "", "", ["Accept": type])
                #expect(response.headers[.contentType] == "\(type); charset=utf-8")
                #expect(try JSONParser.parse(response.body) == ["path": "/"])
            }
        }
    }

    @Test func `the description names tokens and a proxy's address`() async throws {
        try await RestServer.with({
            $0.describesSecurity = true
            $0.describedURL = "https://api.example/v1"
        }) { rest in
            let document = try await rest.get("")
            #expect(document["security"] == [["JWT": []]])
            #expect(document["securityDefinitions"]?["JWT"]?["name"] == "Authorization")
            #expect(document["host"] == "api.example:443")
            #expect(document["basePath"] == "/v1")
            #expect(document["schemes"] == ["https"])
        }
    }

    @Test func `answers repeat a field of the request, errors too`() async throws {
        try await RestServer.with({ $0.traceField = "X-Trace" }) { rest in
            for path in ["labels", "nowhere", "rpc/nowhere"] {
                let response = try await rest.send(.get, path, "", ["X-Trace": "7"])
                #expect(response.headers["X-Trace"] == "7")
            }
            let silent = try await rest.send(.get, "labels")
            #expect(silent.headers["X-Trace"] == nil)
        }
    }

    @Test func `views lead to tables through views of the further search path`() async throws {
        let sql = """
            CREATE SCHEMA middle;
            CREATE VIEW middle.some_clients AS SELECT * FROM clients;
            CREATE VIEW outer_clients AS SELECT * FROM middle.some_clients;
            GRANT SELECT ON outer_clients TO service_role;
            """
        try await RestServer.with({ $0.extraSearchPath = ["middle"] }, sql: sql) { rest in
            let rows = try await rest.get("outer_clients?select=id,projects(id)&id=eq.1&limit=1")
            #expect(rows[0]?["projects"]?.array?.isEmpty == false)
        }
    }

    @Test func `errors can keep details to themselves`() async throws {
        try await RestServer.with({ $0.tellsDetails = false }) { rest in
            let refused = try await rest.send(.get, "rpc/add?a=1&c=1")
            let members = try JSONParser.parse(refused.body).object
            #expect(members?.keys == ["code", "message"])
        }
    }

    @Test(arguments: [false, true])
    func `a role and a function choose how far their transactions are isolated`(isUndone: Bool) async throws {
        let sql = """
            CREATE FUNCTION level() RETURNS text LANGUAGE sql AS $$ SELECT current_setting('transaction_isolation') $$;
            CREATE FUNCTION own_level() RETURNS text LANGUAGE sql SET default_transaction_isolation = 'repeatable read'
                AS $$ SELECT current_setting('transaction_isolation') $$;
            CREATE FUNCTION own_limit() RETURNS text LANGUAGE sql SET statement_timeout = '7s'
                AS $$ SELECT current_setting('statement_timeout') $$;
            """
        let undone = RestSettings.TransactionEnding(isUndone: isUndone)
        try await RestServer.with({ $0.ending = undone }, sql: sql) { rest in
            for (name, value) in [
                ("level", "read committed"), ("own_level", "repeatable read"), ("own_limit", "7s"),
                ("level", "read committed"),
            ] {
                let response = try await rest.send(.post, "rpc/\(name)")
                #expect(response.text == "\"\(value)\"", "\(name)")
            }
        }
    }

    @Test func `what functions say of the answer stands in it once`() async throws {
        let sql = """
            CREATE FUNCTION prepare() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                PERFORM set_config('response.headers',
                    '[{"Content-Type": "text/own"}, {"Cache-Control": "max-age=5"}]', true); END $$;
            CREATE FUNCTION refuse_oddly() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
                RAISE SQLSTATE 'PGRST' USING MESSAGE = '{"code":"1","message":"no"}',
                    DETAIL = '{"status":432,"status_text":"Not Today","headers":{}}'; END $$;
            """
        try await RestServer.with({ $0.preRequest = "prepare" }, sql: sql) { rest in
            for path in ["labels", "rpc/add?a=1&b=2"] {
                let response = try await rest.send(.head, path)
                #expect(response.headers.all(.contentType) == ["text/own"])
                #expect(response.headers.all(.cacheControl) == ["max-age=5"])
            }
            let refused = try await rest.send(.post, "rpc/refuse_oddly")
            #expect(refused.reason == "Not Today")
        }
    }
}
