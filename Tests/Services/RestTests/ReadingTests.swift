import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

@Suite(.needsDatabase, .hangLimit) struct ReadingTests {
    /// A request and the JSON that it gets, whatever the spaces in it.
    private static let answers: [(String, String)] = [
        ("labels", #"[{"id":1,"word":"urgent"},{"id":2,"word":"quiet"}]"#),
        ("labels?select=word&id=eq.2", #"[{"word":"quiet"}]"#),
        ("labels?select=name:word,id::text&order=id.desc", #"[{"name":"quiet","id":"2"},{"name":"urgent","id":"1"}]"#),
        ("labels?id=in.(1,2)&id=not.eq.1&select=id", #"[{"id":2}]"#),
        ("labels?id=in.()&select=id", "[]"),
        ("labels?word=in.(%22)&select=id", "[]"),
        ("labels?or=(word.eq.%22quiet%22,word.eq.%22)&select=id", #"[{"id":2}]"#),
        ("labels?or=(id.eq.1,word.eq.quiet)&select=id&order=id", #"[{"id":1},{"id":2}]"#),
        ("labels?or=(id.eq.1,and(id.eq.2,word.eq.loud))&select=id", #"[{"id":1}]"#),
        ("labels?not.or=(id.eq.1,word.eq.loud)&select=id", #"[{"id":2}]"#),
        ("labels?word=like.*rg*&select=id", #"[{"id":1}]"#),
        ("labels?word=ilike(any).{URG*,x*}&select=id", #"[{"id":1}]"#),
        ("labels?word=match.^q&select=id", #"[{"id":2}]"#),
        // Of what is said twice the first counts.
        ("labels?select=id&select=nope&order=id.desc&order=id.asc&limit=1&word=match.^q", #"[{"id":2}]"#),
        ("labels?select=id&order=id.desc&order=id.asc&id=in.(1,2)", #"[{"id":2}, \#n {"id":1}]"#),
        // As clients send what they have no value for.
        ("labels?word=match.^q&select=id&limit=undefined&offset=NaN", #"[{"id":2}]"#),
        ("labels?word=match.^q&select=id&limit=&offset=", #"[{"id":2}]"#),
        ("labels?word=match.^q&select=id&limit=+0", "[]"),
        ("labels?select=id&order=id&limit=1&offset=1", #"[{"id":2}]"#),
        ("labels?limit=0", "[]"),
        (
            "projects?select=id,budget,due&budget=is.not_null&order=budget.desc",
            #"[{"id":1,"budget":1200.50,"due":"2025-05-01"},{"id":3,"budget":10.00,"due":null}]"#
        ),
        ("projects?select=id&client_id=is.null", #"[{"id":4}]"#),
        ("projects?select=created&id=eq.1", #"[{"created":"2025-03-15T17:44:35.123456+00:00"}]"#),
        (
            "projects?select=created&created=gte.2025-03-15T17:44:35%2B00:00&id=eq.1",
            #"[{"created":"2025-03-15T17:44:35.123456+00:00"}]"#
        ),
        ("clients?select=meta->place->>city,meta->level&id=eq.1", #"[{"city":"Kiel","level":3}]"#),
        ("clients?select=id&meta->>level=eq.3", #"[{"id":1}]"#),
        ("clients?select=id&tags=cs.{a}", #"[{"id":1}]"#),
        ("clients?select=id&meta=cs.{\"level\":+3}", #"[{"id":1}]"#),
        ("clients?select=first:tags->>0&id=eq.1", #"[{"first":"a"}]"#),
        ("steps?select=id&words=fts(english).walls", #"[{"id":2}]"#),
        ("steps?select=id&title=plfts.plan%20drawing", #"[{"id":1}]"#),
        // Embedding.
        ("projects?select=name,clients(name)&id=eq.3", #"[{"name":"Oven","clients":{"name":"Bakery"}}]"#),
        ("projects?select=name,client:clients(name)&id=eq.4", #"[{"name":"Alone","client":null}]"#),
        ("projects?select=name,client_id(name)&id=eq.3", #"[{"name":"Oven","client_id":{"name":"Bakery"}}]"#),
        (
            "clients?select=id,projects(id)&order=id&projects.order=id.desc",
            #"[{"id":1,"projects":[{"id":2},{"id":1}]},{"id":2,"projects":[{"id":3}]}]"#
        ),
        (
            "clients?select=id,projects(id)&projects.id=eq.3&order=id",
            #"[{"id":1,"projects":[]},{"id":2,"projects":[{"id":3}]}]"#
        ),
        ("clients?select=id,projects!inner(id)&projects.id=eq.3", #"[{"id":2,"projects":[{"id":3}]}]"#),
        ("projects?select=id,clients!inner(name)&clients.name=eq.Bakery", #"[{"id":3,"clients":{"name":"Bakery"}}]"#),
        (
            "clients?select=id,projects(id)&projects.limit=1&projects.order=id&id=eq.1",
            #"[{"id":1,"projects":[{"id":1}]}]"#
        ),
        (
            "steps?select=id,labels(word)&id=eq.1&labels.order=word",
            #"[{"id":1,"labels":[{"word":"quiet"},{"word":"urgent"}]}]"#
        ),
        (
            "steps?select=id,projects(name,clients(name))&id=eq.3",
            #"[{"id":3,"projects":{"name":"Shop","clients":{"name":"Ärzte \"Nord\""}}}]"#
        ),
        ("steps?select=id,parent_id(title)&id=eq.2", #"[{"id":2,"parent_id":{"title":"Draw the plans"}}]"#),
        (
            "orders?select=id,billing(street),shipping(street)",
            #"[{"id":1,"billing":{"street":"Low"},"shipping":{"street":"High"}}]"#
        ),
        ("orders?select=id,a:addresses!shipping(street)", #"[{"id":1,"a":{"street":"High"}}]"#),
        ("projects?select=id,...clients(client:name)&id=eq.3", #"[{"id":3,"client":"Bakery"}]"#),
        ("clients?select=id,...projects(names:name)&id=eq.2", #"[{"id":2,"names":["Oven"]}]"#),
        (
            "projects?order=clients(id).desc,id&clients=not.is.null&select=id,clients()",
            #"[{"id":3},{"id":1},{"id":2}]"#
        ),
        ("clients?select=id,projects()&projects.id=eq.3&projects=is.null", #"[{"id":1}]"#),
        ("project_overview?select=title,clients(name)&id=eq.3", #"[{"title":"Oven","clients":{"name":"Bakery"}}]"#),
        ("clients?select=id,project_overview(title)&id=eq.2", #"[{"id":2,"project_overview":[{"title":"Oven"}]}]"#),
        ("projects?select=id,shout&id=eq.3", #"[{"id":3,"shout":"OVEN"}]"#),
        ("odd%20%22names?select=%22a%20column%22,select&%22a%20column%22=eq.1", #"[{"a column":1,"select":"x"}]"#),
        ("odd%20%22names?%22Gr%C3%BC%C3%9Fe,%20Welt%22=eq.y&select=a%20column", #"[{"a column":1}]"#),
        // Functions.
        ("rpc/add?a=2&b=3", "5"), ("rpc/add?a=2", "3"), ("rpc/add?b=1&a=2", "3"),
        ("rpc/projects_of?client=1&select=name&name=eq.Shop", #"[{"name":"Shop"}]"#),
        ("rpc/projects_of?client=2&select=name,clients(name)", #"[{"name":"Oven","clients":{"name":"Bakery"}}]"#),
    ]

    @Test func `reads what is asked for`() async throws {
        try await RestServer.with { rest in
            for (path, expected) in Self.answers {
                let found = try await rest.get(
                    path.replacing(" ", with: "%20").replacing("\"", with: "%22").replacing("{", with: "%7B").replacing(
                        "}",
                        with: "%7D"
                    ).replacing("^", with: "%5E")
                )
                #expect(try found == JSONParser.parse(Array(expected.utf8)), "\(path)")
            }
        }
    }

    /// A request that is refused: status, code, and a part of the body.
    private static let refusals: [(String, Int, String, String)] = [
        ("nothing", 404, "PGRST205", "Could not find the table 'public.nothing' in the schema cache"),
        ("label", 404, "PGRST205", "Perhaps you meant the table 'public.labels'"),
        ("labelling", 404, "PGRST205", #""hint":null"#), ("rpc/adding?a=1", 404, "PGRST202", #""hint":null"#),
        ("labels?id=foo.bar", 400, "PGRST100", #"\"failed to parse filter (foo.bar)\" (line 1, column 1)"#),
        ("labels?select=id,(", 400, "PGRST100", "failed to parse select parameter (id,()"),
        ("labels?id=eq.x", 400, "22P02", "invalid input syntax for type integer"),
        ("labels?nope=eq.1", 400, "42703", "column labels.nope does not exist"),
        ("labels?select=nope", 400, "42703", "column labels.nope does not exist"),
        ("labels?limit=-1", 416, "PGRST103", "Requested range not satisfiable"),
        ("labels?limit=-99999999999999999999", 416, "PGRST103", "Requested range not satisfiable"),
        (
            "labels?select=clients(id)", 400, "PGRST200",
            "Could not find a relationship between 'labels' and 'clients' in the schema cache"
        ),
        ("orders?select=addresses(street)", 300, "PGRST201", "many-to-one"),
        ("labels?clients.id=eq.1", 400, "PGRST108", "'clients' is not an embedded resource in this request"),
        (
            "clients?select=id,projects()&order=projects(id)", 400, "PGRST118",
            "A related order on 'projects' is not possible"
        ),
        ("labels?select=id.sum()", 400, "PGRST123", "Use of aggregate functions is not allowed"),
        ("labels?select=count()", 400, "PGRST123", "Use of aggregate functions is not allowed"),
        ("clients?select=projects(json_agg->0)", 400, "PGRST123", "Use of aggregate functions is not allowed"),
        ("rpc/nothing", 404, "PGRST202", "Could not find the function public.nothing"),
        ("rpc/add?a=1&c=1", 404, "PGRST202", "Perhaps you meant to call the function public.add(a, b)"),
        ("labels?select=id::nope", 400, "42704", "does not exist"),
        ("labels?or=(id.eq.1", 400, "PGRST100", "logic tree"),
        ("labels?id=is.maybe", 400, "PGRST100", "isVal"),
        ("labels?offset=1000&limit=1", 200, "", "[]"),
        ("labels?select=count", 200, "", #"[{"count":"#),
        ("clients?select=projects(count)&limit=1", 200, "", #"[{"projects":[{"count":"#),
        ("a/b/c", 404, "PGRST125", "Invalid path"),
        (
            "labels?order=id.ac", 400, "PGRST100",
            #"(line 1, column 4)","details":"unexpected \"c\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"""#
        ),
        (
            "labels?order=id.descc", 400, "PGRST100",
            #"(line 1, column 8)","details":"unexpected 'c' expecting delimiter (.), \",\" or end of input""#
        ),
        (
            "labels?order=id.asc.nlsfst", 400, "PGRST100",
            #"(line 1, column 8)","details":"unexpected \"l\" expecting \"nullsfirst\" or \"nullslast\"""#
        ),
        (
            "labels?order=id.nullslasttt", 400, "PGRST100",
            #"(line 1, column 13)","details":"unexpected 't' expecting \",\" or end of input""#
        ),
        (
            "labels?or=()", 400, "PGRST100",
            #"(line 1, column 4)","details":"unexpected \")\" expecting field name (* or [a..z0..9_$]), negation operator"#
        ),
        (
            "labels?and=(ord(id.eq.1),id.eq.2)", 400, "PGRST100",
            #"column 7)","details":"unexpected \"d\" expecting \"(\"""#
        ),
        (
            "labels?or=(id.eq.1,not.xor(id.eq.2))", 400, "PGRST100",
            #"column 16)","details":"unexpected \"x\" expecting logic operator (and, or)""#
        ),
    ]

    @Test func `says what is wrong`() async throws {
        try await RestServer.with { rest in
            for (path, status, code, text) in Self.refusals {
                let response = try await rest.send(.get, path)
                #expect(response.status.rawValue == status, "\(path): \(response.text)")
                #expect(response.text.contains(text), "\(path): \(response.text)")
                if !code.isEmpty {
                    #expect(try response.jsonObject()["code"] == .string(code), "\(path)")
                    #expect(try response.jsonObject().keys == ["code", "message", "details", "hint"])
                    #expect(response.headers["Proxy-Status"] == "PostgREST; error=\(code)")
                }
            }
        }
    }

    @Test func `counts, pages, and gives one object`() async throws {
        try await RestServer.with { rest in
            let page = try await rest.send(.get, "projects?select=id&limit=2", "", ["Prefer": "count=exact"])
            #expect(page.status == 206)
            #expect(page.headers["Content-Range"] == "0-1/4")
            #expect(page.headers["Preference-Applied"] == "count=exact")
            let all = try await rest.send(.get, "projects?select=id", "", ["Prefer": "count=exact"])
            #expect(all.status == .ok)
            #expect(all.headers["Content-Range"] == "0-3/4")
            let ranged = try await rest.send(.get, "projects?select=id&order=id", "", ["Range": "1-2"])
            #expect(ranged.status == .ok)
            #expect(ranged.headers["Content-Range"] == "1-2/*")
            let located = try await rest.send(.get, "labels?word=eq.urgent&id=eq.1&id=gt.0")
            #expect(located.headers["Content-Location"] == "/labels?id=eq.1&id=gt.0&word=eq.urgent")
            let beyond = try await rest.send(.get, "projects?offset=10", "", ["Prefer": "count=exact"])
            #expect(
                beyond.status == 416
                    && beyond.text.contains("An offset of 10 was requested, but there are only 4 rows.")
            )
            let head = try await rest.send(.head, "projects?select=id&client_id=eq.1", "", ["Prefer": "count=exact"])
            #expect(head.body.isEmpty)
            #expect(head.headers["Content-Range"] == "0-1/2")
            let planned = try await rest.send(.get, "projects?select=id", "", ["Prefer": "count=planned"])
            #expect(planned.headers["Content-Range"]?.hasPrefix("0-3/") == true)
            #expect(planned.headers["Content-Range"]?.hasSuffix("*") == false)
            let estimated = try await rest.send(.get, "projects?select=id&limit=1", "", ["Prefer": "count=estimated"])
            #expect(estimated.headers["Content-Range"]?.hasSuffix("*") == false)

            let object = "application/vnd.pgrst.object+json"
            let one = try await rest.send(.get, "labels?id=eq.1", "", ["Accept": object])
            #expect(one.text == #"{"id":1,"word":"urgent"}"#)
            #expect(one.headers[.contentType] == "application/vnd.pgrst.object+json; charset=utf-8")
            let none = try await rest.send(.get, "labels?id=eq.9", "", ["Accept": object])
            #expect(none.status == 406 && none.text.contains(#""details":"The result contains 0 rows""#))
            let csv = try await rest.send(.get, "labels?order=id", "", ["Accept": "text/csv"])
            #expect(csv.text == "id,word\n1,urgent\n2,quiet")
            let stripped = try await rest.send(
                .get,
                "clients?select=id,tags&id=eq.2",
                "",
                ["Accept": "application/vnd.pgrst.array+json;nulls=stripped"]
            )
            #expect(stripped.text == #"[{"id":2}]"#)
            let other = try await rest.send(.get, "labels", "", ["Accept": "image/png"])
            #expect(other.status == 406)
            #expect(other.text.contains("PGRST107"))
            let health = try await rest.send(.get, "health")
            #expect(health.status == .ok)
        }
    }

    @Test func `aggregates and shows plans where that is allowed`() async throws {
        try await RestServer.with {
            $0.allowsAggregates = true
            $0.showsPlans = true
            $0.maximumRows = 3
        } _: { rest in
            let sums = try await rest.get("projects?select=client_id,budget.sum(),n:count()&order=client_id")
            #expect(sums.description.contains(#"{"client_id":1,"sum":1200.50,"n":2}"#))
            let all = try await rest.get("projects?select=id")
            #expect(all.array?.count == 3)
            let plan = try await rest.send(.get, "projects", "", ["Accept": "application/vnd.pgrst.plan+json"])
            #expect(plan.text.contains("\"Plan\""))
        }
    }

    @Test func `describes itself`() async throws {
        try await RestServer.with { rest in
            let page = try await rest.send(.get, "")
            let description = try JSONParser.parse(page.body)
            #expect(description["paths"]?["/projects"]?["get"] != nil)
            let columns = description["definitions"]?["projects"]?["properties"]
            #expect(
                columns?["client_id"]?["description"]?.string?.contains("<fk table='clients' column='id'/>") == true
            )
            #expect(description["definitions"]?["projects"]?["required"] == ["id", "name", "created"])
            #expect(description["paths"]?["/rpc/add"]?["post"] != nil)
        }
    }
}
