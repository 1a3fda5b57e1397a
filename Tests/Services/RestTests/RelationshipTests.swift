import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// Which rows belong together, over a small library.
@Suite(.needsDatabase, .hangLimit) struct RelationshipTests {
    /// A request and the JSON that it gets.
    private static let answers: [(String, String)] = [
        // By the name of a column or a constraint only tables are meant.
        ("books?select=id,shelf_id(name)&id=eq.1", #"[{"id":1,"shelf_id":{"name":"A"}}]"#),
        ("books?select=s:books_shelf_id_fkey(name)&id=eq.1", #"[{"s":{"name":"A"}}]"#),
        ("books?select=shelf_names(name)&id=eq.1", #"[{"shelf_names":{"name":"A"}}]"#),
        ("books?select=s:shelf_names!shelf_id(name)&id=eq.1", #"[{"s":{"name":"A"}}]"#),
        (
            "books?select=writer(name),e:authors!editor(name)&id=eq.1",
            #"[{"writer":{"name":"Ann"},"e":{"name":"Ben"}}]"#
        ),
        // One parenthesis too many.
        ("books?select=shelf_id(name))&id=eq.1", #"[{"shelf_id":{"name":"A"}}]"#),
        ("books?select=id(amount)&id=eq.1", #"[{"id":{"amount":9.50}}]"#),
        ("gifts?select=genres!gifts_shelves_fkey(name)", #"[{"genres":{"name":"poems"}}]"#),
        ("gifts?select=shelves!gifts_place_fkey(name)", #"[{"shelves":{"name":"C"}}]"#),
        ("book_keys?select=id,shelves!place(name)&id=eq.1", #"[{"id":1,"shelves":{"name":"A"}}]"#),
        ("shelves?select=id,book_keys!shelf_id(id)&id=eq.2", #"[{"id":2,"book_keys":[{"id":3}]}]"#),
        // A relation that refers to itself.
        ("authors?select=id,pupils:authors(id)&id=eq.1", #"[{"id":1,"pupils":[{"id":2},{"id":3}]}]"#),
        ("authors?select=id,teacher(name)&id=eq.2", #"[{"id":2,"teacher":{"name":"Ann"}}]"#),
        ("authors?select=pupils:authors!teacher(id)&id=eq.1", #"[{"pupils":[{"id":2},{"id":3}]}]"#),
        ("authors?select=pupils:authors!authors_teacher_fkey(id)&id=eq.2", #"[{"pupils":[]}]"#),
        // Through junctions.
        ("books?select=genres!book_genres(name)&id=eq.2", #"[{"genres":[{"name":"poems"}]}]"#),
        ("books?select=genres!short_books(name)&id=eq.1", #"[{"genres":[]}]"#),
        (
            "towns?select=crossings!departure(...ferries!homeward(ferry:id))",
            #"[{"crossings":[{"ferry":2}]}]"#
        ),
        // Restrictions by the relation's name.
        ("books?select=id,s:shelves!inner(name)&shelves.name=eq.B", #"[{"id":3,"s":{"name":"B"}}]"#),
        (
            "shelves?select=id,b:books(id)&books.order=id.desc&books.limit=1&b.pages=gt.1&order=id",
            #"[{"id":1,"b":[{"id":2}]},{"id":2,"b":[{"id":3}]},{"id":3,"b":[]}]"#
        ),
        (
            "shelves?select=id,b:books(l:loans(id))&books.loans.days=gt.7&books.id=eq.1&id=eq.1",
            #"[{"id":1,"b":[{"l":[{"id":2}]}]}]"#
        ),
        // Spreads of one.
        ("books?select=id,...shelves(s:name)&id=gte.3&order=id", #"[{"id":3,"s":"B"},{"id":4,"s":null}]"#),
        (
            "loans?select=id,...books(title,...writer(by:name,...teacher(school:name)))&id=eq.3",
            #"[{"id":3,"title":"Cedar","by":"Ben","school":"Ann"}]"#
        ),
        ("books?select=id,...shelves()&shelves=is.null", #"[{"id":4}]"#),
        ("books?select=id,...shelves(s:name)&shelves=is.null", #"[{"id":4,"s":null}]"#),
        ("books?select=id,shelves(books())&id=eq.1", #"[{"id":1}]"#),
        (
            "books?select=id,...shelves(s:name)&order=shelves(name).desc.nullslast,id.desc",
            #"[{"id":3,"s":"B"},{"id":2,"s":"A"},{"id":1,"s":"A"},{"id":4,"s":null}]"#
        ),
        (
            "books?select=id,...shelves(s:name)&order=shelves(id).desc,id&limit=2",
            #"[{"id":4,"s":null},{"id":3,"s":"B"}]"#
        ),
        (
            "books?select=id,shelves(s:name)&order=shelves(s).desc.nullslast,id&limit=1",
            #"[{"id":3,"shelves":{"s":"B"}}]"#
        ),
        ("books?select=...first_genre(g:name)&id=eq.1", #"[{"g":"crime"}]"#),
        // Spreads of many.
        ("shelves?select=name,...books!inner(titles:title)&id=gte.2", #"[{"name":"B","titles":["Cedar"]}]"#),
        ("shelves?select=name,...books(titles:title)&books=is.null", #"[{"name":"C","titles":[]}]"#),
        (
            "shelves?select=name,...books(*)&id=eq.2",
            #"[{"name":"B","id":[3],"title":["Cedar"],"pages":[300],"author_id":[2],"editor_id":[3],"shelf_id":[2]}]"#
        ),
        (
            "shelves?select=...books(title,...prices(amount),...genres!book_genres(genre:name),writer(name))&id=eq.1&books.order=id.desc",
            #"[{"title":["Birch","Ash"],"amount":[20.00,9.50],"genre":[["poems"],["crime","poems"]],"#
                + #""writer":[{"name":"Ann"},{"name":"Ann"}]}]"#
        ),
        ("shelves?select=name,...books()&id=eq.1", #"[{"name":"A"}]"#),
        // Aggregates.
        ("books?select=count", #"[{"count":4}]"#),
        ("shelves?select=name,books(count)&order=id&limit=1", #"[{"name":"A","books":[{"count":2}]}]"#),
        (
            "books?select=writer(name),pages.sum()&order=writer(name)&author_id=not.is.null",
            #"[{"writer":{"name":"Ann"},"sum":300},{"writer":{"name":"Ben"},"sum":300}]"#
        ),
        (
            "books?select=n:count(),...writer(name),...prices(amount.sum())&order=writer(name)",
            #"[{"n":2,"name":"Ann","sum":29.50},{"n":1,"name":"Ben","sum":5.00},{"n":1,"name":null,"sum":null}]"#
        ),
        (
            "loans?select=...books(...shelves(shelf:name,loans:count()),longest:pages.max())&order=books(shelf)",
            #"[{"shelf":"A","loans":2,"longest":100},{"shelf":"B","loans":1,"longest":300}]"#
        ),
        (
            "loans?select=all:days.sum(),...books(...shelves(shelf:name),longest:pages.max())&order=all,books(shelf)",
            #"[{"all":21,"shelf":"A","longest":100},{"all":21,"shelf":"B","longest":300}]"#
        ),
        (
            "shelves?select=name,n:id.count(),...books(titles:title)&order=name.desc&limit=1",
            #"[{"name":"C","n":1,"titles":[]}]"#
        ),
        ("shelves?select=books(...writer(name),pages.sum())&id=eq.1", #"[{"books":[{"name":"Ann","sum":300}]}]"#),
        ("shelves?select=*,id.count()&id=eq.1", #"[{"id":1,"name":"A","count":1}]"#),
        (
            "rpc/all_books?select=pages.max(),...shelves(name)&shelves=not.is.null&shelf_id=eq.1",
            #"[{"max":200,"name":"A"}]"#
        ),
        // What is selected under another name, ordered by that.
        ("authors?select=n:name&order=n.desc&limit=1", #"[{"n":"Cy"}]"#),
    ]

    @Test func `embeds and spreads what belongs to a row`() async throws {
        try await RestServer.with(schema: "library.sql") {
            $0.allowsAggregates = true
        } _: { rest in
            for (path, expected) in Self.answers {
                let found = try await rest.get(path)
                #expect(try found == JSONParser.parse(Array(expected.utf8)), "\(path)")
            }
        }
    }

    /// A request that is refused: status, code, and a part of the body.
    private static let refusals: [(String, Int, String, String)] = [
        (
            "authors?select=genres(id)", 400, "PGRST200",
            #""hint":null"#
        ),
        (
            "books?select=authors!shelf_id(id)", 400, "PGRST200",
            "using the hint 'shelf_id' in the schema 'public', but no matches were found.\",\"hint\":null"
        ),
        (
            "books?select=authors(id)", 300, "PGRST201",
            "one of the following: 'authors!editor', 'authors!writer'. Find"
        ),
        (
            "authors?select=books(id)", 300, "PGRST201",
            #"{"cardinality":"one-to-many","embedding":"authors with books","#
                + #""relationship":"editor using authors(id) and books(editor_id)"}"#
        ),
        (
            "gifts?select=shelves(id)", 300, "PGRST201",
            "one of the following: 'shelves!gifts_place_fkey', 'genres!gifts_shelves_fkey'. Find"
        ),
        (
            "books?select=genres(id)", 300, "PGRST201",
            "one of the following: 'genres!book_genres', 'genres!short_books'. Find"
        ),
        (
            "towns?select=ferries(id)", 300, "PGRST201",
            "'crossings!arrival(...ferries!homeward)', 'crossings!arrival(...ferries!outward)', 'crossings!departure("
        ),
        (
            "shelves?select=...books(pages.sum())", 400, "PGRST127",
            "Aggregates are not implemented for one-to-many or many-to-many spreads."
        ),
        ("books?select=pages.sum(),writer(name)&order=writer(id)", 400, "42803", #"column \"writer.id\" must appear"#),
        ("shelves?select=*,b:books(*)&order=b(id)", 400, "PGRST118", "'shelves' and 'b' do not form a many-to-one"),
        ("shelves?select=*,b:books(*)&bs.id=eq.1", 400, "PGRST108", "Verify that 'bs' is included"),
        ("shelves?select=b:books(nope)", 400, "42703", "column books_1.nope does not exist"),
        (
            "books?select=authors!writer(id),authors!editor(id)", 400, "42712",
            #"\"books_authors_1\" specified more than once"#
        ),
    ]

    @Test func `names the ways that there are`() async throws {
        try await RestServer.with(schema: "library.sql") {
            $0.allowsAggregates = true
        } _: { rest in
            for (path, status, code, text) in Self.refusals {
                let response = try await rest.send(.get, path)
                #expect(response.status.rawValue == status, "\(path): \(response.text)")
                #expect(response.text.contains(#""code":"\#(code)""#), "\(path): \(response.text)")
                #expect(response.text.contains(text), "\(path): \(response.text)")
            }
        }
    }
}
