import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import Testing

@Suite(.needsDatabase, .hangLimit)
struct OwnRowsTests {
    @Test(arguments: ["", #","owner_id":"ann""#, #","owner_id":null"#])
    func `who sees only own rows makes own rows`(owner: String) async throws {
        try await Office.with([contacts], sql: schema) { office in
            let made = try await office.ask(.ann, .post, "/contacts", #"{"name":"x"\#(owner)}"#)
            #expect(made.status == .created)
            #expect(made.json["owner_id"] == "ann")
            #expect(try await office.ask(.ann, .get, "/contacts").json["total"] == 1)
        }
    }

    @Test func `who sees only own rows gives none to others`() async throws {
        try await Office.with([contacts], sql: schema) { office in
            let made = try await office.ask(.ann, .post, "/contacts", #"{"name":"x"}"#)
            let id = made.json["id"]?.string ?? ""
            let attempts: [(SwiftletHTTP.Method, String, String)] = [
                (.post, "/contacts", #"{"name":"y","owner_id":"abe"}"#),
                (.patch, "/contacts/\(id)", #"{"name":"y","owner_id":"abe"}"#),
                (.patch, "/contacts/\(id)", #"{"ownerId":"abe"}"#),
                (.patch, "/contacts/\(id)", #"{"owner_id":null}"#),
                (.patch, "/contacts/bulk", #"{"owner_id":"abe"}"#),
            ]
            for (method, path, body) in attempts {
                let answer = try await office.ask(.ann, method, path, body)
                #expect(answer.status == .forbidden, "\(method) \(body)")
                #expect(answer.json["code"] == "FORBIDDEN", "\(method) \(body)")
            }
            #expect(try await office.ask(.abe, .get, "/contacts").json["total"] == 0)
            #expect(try await office.ask(.ann, .get, "/contacts/\(id)").text == made.text)
            #expect(try await office.ask(.ann, .patch, "/contacts/\(id)", #"{"owner_id":"ann"}"#).status == .ok)
            #expect(try await office.ask(.boss, .patch, "/contacts/\(id)", #"{"owner_id":"abe"}"#).status == .ok)
            #expect(try await office.ask(.abe, .get, "/contacts").json["total"] == 1)
        }
    }

    @Test func `a row of one's tenant that is out of one's scope is a 403, all others a 404`() async throws {
        try await Office.with([contacts], sql: schema) { office in
            let id = try await office.ask(.ann, .post, "/contacts", #"{"name":"x"}"#).json["id"]?.string ?? ""
            let attempts: [(SwiftletHTTP.Method, String, String)] = [
                (.get, "", ""), (.patch, "", #"{"name":"y"}"#), (.put, "", #"{"name":"y"}"#), (.delete, "", ""),
                (.get, "/calls", ""), (.post, "/calls", #"{"text":"x"}"#), (.get, "/calls/1", ""),
            ]
            for (method, path, body) in attempts {
                let theirs = try await office.ask(.abe, method, "/contacts/\(id)\(path)", body)
                #expect(theirs.status == .forbidden, "\(method) \(path)")
                #expect(theirs.json["code"] == "FORBIDDEN", "\(method) \(path)")
                let absent = try await office.ask(.nora, method, "/contacts/\(id)\(path)", body)
                #expect(absent.status == (method == .delete ? .ok : .notFound), "\(method) \(path)")
            }
            #expect(try await office.ask(.ann, .get, "/contacts/\(id)").json["name"] == "x")
            #expect(try await office.ask(.ann, .delete, "/contacts/\(id)").status == .ok)
            #expect(try await office.ask(.abe, .get, "/contacts/\(id)").status == .notFound)
            #expect(try await office.ask(.abe, .delete, "/contacts/\(id)").status == .ok)
        }
    }
}

private let contacts = Function("contacts") {
    contact.routes()
    calls.routes(at: "/:id/calls")
    Patch("/bulk") { request, context in
        try await contact.updateAll(where: "name", is: "x", request.jsonObject(), in: context)
        return .success
    }
}

private let contact = Resource("contacts", scope: .tenant) {
    OwnRowsOnly(below: 2, on: "owner_id")
    SoftDelete()
}

private let calls = Resource("calls", scope: .tenant) {
    ChildOf(contact, by: "contact_id")
}

private let schema = """
    CREATE TABLE contacts (
        id varchar PRIMARY KEY, tenant_id varchar NOT NULL, name text NOT NULL, owner_id varchar, deleted_at timestamp
    );
    CREATE TABLE calls (
        id serial PRIMARY KEY, tenant_id varchar NOT NULL, contact_id varchar NOT NULL, text text NOT NULL
    );
    """
