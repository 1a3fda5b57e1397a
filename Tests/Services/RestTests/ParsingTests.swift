import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletRest

@Suite struct ParsingTests {
    private func parse(_ query: String, takesArguments: Bool = false) throws(RestError) -> RestQuery {
        try QueryParser.parse(Query(query), takesArguments: takesArguments)
    }

    @Test func `reads a selection`() throws {
        let items = try parse("select=*,a:b->c->>0::int,rel!fk!inner(x,...deep(*)),n:count(),amount.sum()::text").select
        #expect(
            items == [
                .all,
                .column(
                    ColumnSelection(
                        field: FieldPath(
                            name: "b",
                            steps: [
                                JSONStep(key: .name("c"), givesText: false),
                                JSONStep(key: .index("0"), givesText: true),
                            ]
                        ),
                        cast: "int",
                        alias: "a"
                    )
                ),
                .embed(
                    EmbedSelection(
                        relation: "rel",
                        hint: "fk",
                        isInner: true,
                        items: [
                            .column(ColumnSelection(field: FieldPath(name: "x"))),
                            .embed(EmbedSelection(relation: "deep", isSpread: true, items: [.all])),
                        ]
                    )
                ),
                .column(ColumnSelection(alias: "n", aggregate: .count)),
                .column(ColumnSelection(field: FieldPath(name: "amount"), aggregate: .sum, aggregateCast: "text")),
            ]
        )
    }

    @Test func `reads filters, trees of them, and where they belong`() throws {
        let query = try parse(
            #"a=eq.1&a=not.in.(x,"y,z",")")&rel.b=is.null&rel.order=c.desc.nullslast,d&not.or=(e.gt."1,5",and(f.like(any).{g*,h},i.fts(german).wort))&limit=5&rel.offset=2"#
        )
        #expect(query.root.conditions.count == 3)
        #expect(
            query.root.conditions[1]
                == .filter(ColumnFilter(field: FieldPath(name: "a"), isNegated: true, test: .isIn(["x", "y,z", ")"])))
        )
        #expect(
            query.root.conditions[2]
                == .any(
                    [
                        .filter(
                            ColumnFilter(
                                field: FieldPath(name: "e"),
                                isNegated: false,
                                test: .compare(.greater, nil, "1,5")
                            )
                        ),
                        .all(
                            [
                                .filter(
                                    ColumnFilter(
                                        field: FieldPath(name: "f"),
                                        isNegated: false,
                                        test: .compare(.like, .any, "{g*,h}")
                                    )
                                ),
                                .filter(
                                    ColumnFilter(
                                        field: FieldPath(name: "i"),
                                        isNegated: false,
                                        test: .search(.words, language: "german", "wort")
                                    )
                                ),
                            ],
                            isNegated: false
                        ),
                    ],
                    isNegated: true
                )
        )
        let embedded = try #require(query.embedded[["rel"]])
        #expect(embedded.conditions.count == 1)
        #expect(embedded.offset == 2)
        #expect(
            embedded.order == [
                OrderTerm(field: FieldPath(name: "c"), isDescending: true, nullsFirst: false),
                OrderTerm(field: FieldPath(name: "d")),
            ]
        )
        #expect(query.root.limit == 5)
    }

    @Test(arguments: [
        ("a=foo.bar", "filter (foo.bar)", 1), ("a=not.foo.bar", "filter (not.foo.bar)", 5),
        ("select=a,(", "select parameter (a,()", 3),
        ("select=a(b", "select parameter (a(b)", 4), ("order=a.up", "order (a.up)", 3),
        ("or=(a.eq.1", "logic tree ((a.eq.1)", 10),
        ("or=a", "logic tree (a)", 3), ("a=in.1", "filter (in.1)", 4), ("columns=a,", "columns parameter (a,)", 3),
    ])
    func `says where it could not go on`(query: String, what: String, column: Int) {
        let error = #expect(throws: RestError.self) { try parse(query) }
        #expect(error?.code == "PGRST100")
        #expect(error?.message == "\"failed to parse \(what)\" (line 1, column \(column))")
    }

    @Test func `refuses what is nested too deeply`() {
        for query in ["select=" + String(repeating: "a(", count: 5000), "or=" + String(repeating: "(and", count: 5000)]
        {
            let error = #expect(throws: RestError.self) { try parse(query) }
            #expect(error?.code == "PGRST100")
        }
    }

    @Test func `reads preferences and forms of answers`() {
        let preferences = Preferences(
            "return=representation,  count=exact, return=minimal, handling=strict,max-affected=3, odd"
        )
        #expect(preferences.returns == .representation)
        #expect(preferences.count == .exact)
        #expect(preferences.affectedLimit == 3)
        #expect(preferences.unknown == ["odd"])
        #expect(MediaRanges("*/*").types == [.any])
        #expect(MediaRanges(nil).types == [.any])
        #expect(
            MediaRanges("text/html;q=0.1, */*, text/csv;q=0.5, application/json").types == [
                .json, .any, .csv, .other("text/html"),
            ]
        )
        #expect(
            MediaRanges("application/vnd.pgrst.object+json;nulls=stripped").types == [.object(stripsNulls: true)]
        )
        let plan = MediaRanges(#"application/vnd.pgrst.plan+json; for="text/csv"; options=verbose|analyze"#).types
        #expect(plan.map(\.name) == [#"application/vnd.pgrst.plan+json; for="text/csv"; options=analyze|verbose"#])
    }

    @Test(.hangLimit) func `walks once through a list, however it is written`() throws {
        let items = 200_000
        for item in ["{", "{\"", "\"\"a", "not."] {
            var cursor = Cursor("in.(" + String(repeating: "\(item),", count: items) + "x)")
            let filter = try cursor.filter(on: FieldPath(name: "a"), upTo: .text)
            guard case .isIn(let values) = filter.test else {
                Issue.record("no list")
                continue
            }
            #expect(values.count == items + 1, "\(item)")
        }
    }

    @Test func `ends with a value or an error, whatever it reads`() {
        let seeds = [
            "select=id,a:b->c->>d::text,rel!fk!inner(x,y),...s(z),count()", "a=not.like(all).{x,y}",
            "b=in.(1,\"2\\\"\",3)",
            "or=(a.eq.1,not.and(b.is.null,c.fts(x).y))", "order=a.desc.nullsfirst,rel(b).asc", "\"a b\".c->>d=eq.1",
            "columns=\"a\",b", "on_conflict=a,b", "rel.limit=4",
        ]
        let alphabet = Array("abcnot.eqinisorandlike()\"\\,:->*!{}=&%20é…0".utf8)
        var generator = SeededGenerator(seed: 20_251_123)
        for _ in 0..<40_000 {
            var text = Array(generator.element(of: seeds).utf8)
            for _ in 0...generator.below(6) {
                let place = generator.below(text.count + 1)
                switch generator.below(3) {
                case 0: text.insert(generator.element(of: alphabet), at: place)
                case 1 where place < text.count: text.remove(at: place)
                default: text.insert(contentsOf: text.prefix(generator.below(8)), at: place)
                }
            }
            let query = String(decoding: text, as: UTF8.self)
            do throws(RestError) {
                _ = try parse(query, takesArguments: generator.below(2) == 0)
            } catch {
                #expect(error.status.rawValue == 400 || error.status.rawValue == 416, "\(query)")
            }
        }
    }
}
