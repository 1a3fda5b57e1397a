import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

@Suite(.needsDatabase, .hangLimit) struct WritingTests {
    private static let object: Headers.Name = "Accept"
    private static let single = "application/vnd.pgrst.object+json"

    @Test func `inserts one and many`() async throws {
        try await RestServer.with { rest in
            let plain = try await rest.send(.post, "labels", #"{"id":3,"word":"new"}"#)
            #expect(plain.status == .created)
            #expect(plain.body.isEmpty)
            #expect(plain.headers["Content-Range"] == "*/*")
            let shown = try await rest.send(
                .post,
                "steps?select=id,title,state,projects(name)",
                #"{"title":"Paint","project_id":3}"#,
                ["Prefer": "return=representation", "Accept": Self.single]
            )
            #expect(shown.status == .created)
            #expect(shown.text == #"{"id":4,"title":"Paint","state":"open","projects":{"name":"Oven"}}"#)
            let many = try await rest.send(
                .post,
                "labels?columns=%22id%22,%22word%22",
                #"[{"id":4,"word":"a"},{"word":"b","id":5}]"#,
                ["Prefer": "return=representation, count=exact"]
            )
            #expect(many.status == .created)
            #expect(many.headers["Content-Range"] == "*/2")
            #expect(try JSONParser.parse(many.body).array?.count == 2)
            let none = try await rest.send(.post, "labels", "[]", ["Prefer": "return=representation"])
            #expect(none.status == .created)
            #expect(none.text == "[]")
            let located = try await rest.send(
                .post,
                "labels",
                #"{"id":6,"word":"f"}"#,
                ["Prefer": "return=headers-only"]
            )
            #expect(located.headers["Location"] == "/labels?id=eq.6")
            #expect(located.body.isEmpty)
            let csv = try await rest.send(.post, "labels", "id,word\n7,\"a, b\"\n8,c\n", ["Content-Type": "text/csv"])
            #expect(csv.status == .created)
            #expect(try await rest.get("labels?id=eq.7&select=word") == [["word": "a, b"]])
        }
    }

    @Test func `fills defaults where they are wanted`() async throws {
        try await RestServer.with { rest in
            let body = #"[{"title":"One","state":"done"},{"title":"Two"}]"#
            let path = "steps?columns=title,state&select=title,state"
            let refused = try await rest.send(.post, path, body, ["Prefer": "return=representation"])
            #expect(refused.status == 400)
            #expect(refused.text.contains("23502"))
            let filled = try await rest.send(.post, path, body, ["Prefer": "return=representation, missing=default"])
            #expect(
                try JSONParser.parse(filled.body) == [
                    ["title": "One", "state": "done"], ["title": "Two", "state": "open"],
                ]
            )
            #expect(filled.headers["Preference-Applied"] == "missing=default, return=representation")
        }
    }

    @Test func `values pass through jsonb where defaults are wanted`() async throws {
        let sql = "CREATE TABLE papers (id int, body json); GRANT ALL ON papers TO service_role;"
        try await RestServer.with(sql: sql) { rest in
            let body = #"{"id":1,"body":{"a":1,"a":2}}"#
            let plain = try await rest.send(.post, "papers", body, ["Prefer": "return=representation"])
            #expect(plain.text == #"[{"id":1,"body":{"a":1,"a":2}}]"#)
            let prefer = "return=representation, missing=default"
            let filled = try await rest.send(.post, "papers", body, ["Prefer": prefer])
            #expect(filled.text == #"[{"id":1,"body":{"a": 2}}]"#)
        }
    }

    @Test func `inserts or updates`() async throws {
        try await RestServer.with { rest in
            let merge = "resolution=merge-duplicates, return=representation"
            let both = try await rest.send(
                .post,
                "labels",
                #"[{"id":1,"word":"now"},{"id":9,"word":"nine"}]"#,
                ["Prefer": merge]
            )
            #expect(both.status == .created)
            #expect(try JSONParser.parse(both.body) == [["id": 1, "word": "now"], ["id": 9, "word": "nine"]])
            let only = try await rest.send(.post, "labels", #"{"id":1,"word":"later"}"#, ["Prefer": merge])
            #expect(only.status == .ok)
            let ignored = try await rest.send(
                .post,
                "clients?on_conflict=name",
                #"{"id":7,"name":"Bakery"}"#,
                ["Prefer": "resolution=ignore-duplicates, return=representation"]
            )
            #expect(ignored.status == .created)
            #expect(ignored.text == "[]")
            // Of what is said twice the first counts.
            let twice = try await rest.send(
                .post,
                "clients?on_conflict=name&on_conflict=id&columns=id,name&columns=nope",
                #"{"id":7,"name":"Bakery","nope":1}"#,
                ["Prefer": "resolution=ignore-duplicates, return=representation"]
            )
            #expect(twice.text == "[]")
            let put = try await rest.send(.put, "labels?id=eq.1", #"{"id":1,"word":"put"}"#)
            #expect(put.status == .noContent)
            let wrong = try await rest.send(.put, "labels?id=eq.1", #"{"id":2,"word":"put"}"#)
            #expect(wrong.status == 400)
            #expect(wrong.text.contains("PGRST115"))
            let keyless = try await rest.send(.put, "steps?id=eq.1&columns=title", #"{"id":1,"title":"put"}"#)
            #expect(keyless.status == 400)
            #expect(keyless.text.contains("PGRST115"))
            let badFilter = try await rest.send(.put, "labels?word=eq.put", #"{"id":1,"word":"put"}"#)
            #expect(badFilter.status == 405)
            #expect(badFilter.text.contains("PGRST105"))
        }
    }

    @Test func `updates and deletes`() async throws {
        try await RestServer.with { rest in
            let quiet = try await rest.send(.patch, "labels?id=eq.1", #"{"word":"now"}"#)
            #expect(quiet.status == .noContent)
            #expect(quiet.headers["Content-Range"] == "0-0/*")
            let shown = try await rest.send(
                .patch,
                "projects?id=lte.2&select=id,clients(name)&order=id.desc",
                #"{"budget":5}"#,
                ["Prefer": "return=representation, count=exact"]
            )
            #expect(shown.headers["Content-Range"] == "0-1/2")
            #expect(try JSONParser.parse(shown.body)[0]?["id"] == 2)
            let nobody = try await rest.send(
                .patch,
                "labels?id=eq.99",
                #"{"word":"x"}"#,
                ["Prefer": "return=representation"]
            )
            #expect(nobody.status == .ok)
            #expect(nobody.text == "[]")
            #expect(nobody.headers["Content-Range"] == "*/*")
            let empty = try await rest.send(.patch, "labels?id=eq.1", "{}", ["Prefer": "return=representation"])
            #expect(empty.status == .ok)
            #expect(empty.text == "[]")
            let gone = try await rest.send(
                .delete,
                "step_labels?step_id=eq.2",
                "{}",
                ["Prefer": "return=representation"]
            )
            #expect(gone.status == .ok && gone.text == #"[{"step_id":2,"label_id":1}]"#)
            let again = try await rest.send(.delete, "step_labels?step_id=eq.2")
            #expect(again.status == .noContent)
        }
    }

    @Test func `undoes what changes more rows than one object, or than a limit`() async throws {
        try await RestServer.with { rest in
            let two = try await rest.send(
                .patch,
                "projects?client_id=eq.1",
                #"{"name":"Same"}"#,
                ["Prefer": "return=representation", "Accept": Self.single]
            )
            #expect(two.status == 406)
            #expect(two.text.contains("The result contains 2 rows"))
            let limited = try await rest.send(.delete, "step_labels", "", ["Prefer": "handling=strict, max-affected=2"])
            #expect(limited.status == 400)
            #expect(limited.text.contains("PGRST124"))
            #expect(try await rest.get("projects?name=eq.Same").array == [])
            #expect(try await rest.get("step_labels").array?.count == 3)
            let strict = try await rest.send(.get, "labels", "", ["Prefer": "handling=strict, anything=else"])
            #expect(strict.status == 400)
            #expect(strict.text.contains("PGRST122"))
        }
    }

    @Test func `rolls back on request where that is allowed`() async throws {
        try await RestServer.with {
            $0.ending.isOverridable = true
        } _: { rest in
            let dry = try await rest.send(
                .post,
                "labels",
                #"{"id":50,"word":"dry"}"#,
                ["Prefer": "tx=rollback, return=representation"]
            )
            #expect(dry.status == .created)
            #expect(dry.text.contains("dry"))
            #expect(try await rest.get("labels?id=eq.50") == [])
        }
    }

    @Test(arguments: [
        (#"{"id":1"#, "PGRST102"), ("", "PGRST102"), (#"[1,2]"#, "PGRST102"), (#"[{"id":5},{"word":"x"}]"#, "PGRST102"),
        (#"{"nope":1}"#, "PGRST204"), (#"{"id":1,"word":"x"}"#, "23505"), (#"{"id":"x","word":"x"}"#, "22P02"),
        (#"{"id":77}"#, "23502"), (#"{"id":77,"word":"\u0000"}"#, "22P05"),
    ])
    func `refuses bad content`(body: String, code: String) async throws {
        try await RestServer.with { rest in
            let response = try await rest.send(.post, "labels", body)
            #expect((400..<500).contains(response.status.rawValue))
            #expect(try response.jsonObject()["code"] == .string(code), "\(response.text)")
        }
    }

    @Test func `calls functions`() async throws {
        try await RestServer.with { rest in
            #expect(try await rest.send(.post, "rpc/add", #"{"a":1,"b":2}"#).text == "3")
            #expect(try await rest.send(.post, "rpc/forget").status == .noContent)
            #expect(try await rest.send(.post, "rpc/echo", #"{"any":[1,2]}"#).text == #"{"any":[1,2]}"#)
            let set = try await rest.send(.post, "rpc/projects_of?select=id&order=id.desc", #"{"client":1}"#)
            #expect(try JSONParser.parse(set.body) == [["id": 2], ["id": 1]])
            let teapot = try await rest.send(.post, "rpc/teapot")
            #expect(teapot.status == 418 && teapot.headers["X-Tea"] == "green" && teapot.text == #""short and stout""#)
            for (state, status) in [("PT402", 402), ("P0001", 400), ("42501", 403), ("23505", 409), ("XX000", 500)] {
                let refused = try await rest.send(.post, "rpc/refuse", #"{"state":"\#(state)"}"#)
                #expect(refused.status.rawValue == status)
                #expect(refused.text == #"{"code":"\#(state)","message":"no","details":"because","hint":"ask nicely"}"#)
            }
        }
    }
}
