import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletRest

/// What is kept of a query so that its plan is found again.
@Suite struct QueryKeyTests {
    @Test(arguments: [
        ("id=eq.7&select=*", "id=eq.%010&select=*", ["7"]),
        ("a=gte.x+y%21&b.c=lt.&limit=2", "a=gte.%010&b.c=lt.%011&limit=2", ["x y!", ""]),
        ("data->>x=neq.null", "data->>x=neq.%010", ["null"]),
        ("id=in.(1,2)&name=like.a*&x=not.eq.1", "id=in.(1,2)&name=like.a*&x=not.eq.1", []),
        ("order=eq.desc&a.order=eq.asc&or=eq.1", "order=eq.desc&a.order=eq.asc&or=eq.1", []),
        ("\"a.order\"=eq.1&%61=eq.1&=eq.1&a=eq", "\"a.order\"=eq.1&%61=eq.1&=eq.1&a=eq", []), ("", "", []),
    ])
    func `takes out the values of plain comparisons`(query: String, text: String, values: [String]) throws {
        let shape = try #require(QueryKey(query))
        #expect(String(decoding: shape.text, as: UTF8.self) == text)
        #expect(shape.values == values)
    }

    @Test(arguments: ["a=in.(%010)", "a=eq.%01", "a=in.(\u{1}0)", "a=eq." + String(repeating: "x", count: 2048)])
    func `keeps nothing of what could be taken for a mark, nor of what is long`(query: String) {
        #expect(QueryKey(query) == nil)
    }

    @Test func `means the same as the query, with the values in their places`() {
        let seeds = [
            "id=eq.1", "a.b=gt.x%20y", "select=id,a:b->c,rel!inner(x)", "c=not.lt.3", "d->e=lte.{1,2}", "limit=3",
            "or=(a.eq.1,b.is.null)", "order=a.desc", "e=neq.", "f=in.(1,2)", "g=eq(any).{1}", "\"x y\"=eq.1",
        ]
        let alphabet = Array("abeqnt.=&()\"%20,:->1".utf8)
        var generator = SeededGenerator(seed: 20_261_123)
        var known = 0
        for _ in 0..<10_000 {
            var text = Array(
                (0...generator.below(3)).map { _ in generator.element(of: seeds) }.joined(separator: "&").utf8
            )
            for _ in 0..<generator.below(4) {
                text.insert(generator.element(of: alphabet), at: generator.below(text.count + 1))
            }
            let query = String(decoding: text, as: UTF8.self)
            guard let shape = QueryKey(query), var marked = try? QueryParser.parse(Query(shape.text)) else {
                continue
            }
            marked.root.conditions = marked.root.conditions.map { filled($0, shape.values) }
            marked.embedded = marked.embedded.mapValues { restriction in
                var restriction = restriction
                restriction.conditions = restriction.conditions.map { filled($0, shape.values) }
                return restriction
            }
            #expect((try? QueryParser.parse(Query(query))) == marked, "\(query)")
            known += shape.values.isEmpty ? 0 : 1
        }
        #expect(known > 2000)
    }

    private func filled(_ condition: LogicTree, _ values: [String]) -> LogicTree {
        guard case .filter(var filter) = condition, case .compare(let comparison, nil, let mark) = filter.test,
            let index = values.indices.first(where: { QueryKey.mark($0) == mark })
        else { return condition }
        filter.test = .compare(comparison, nil, values[index])
        return .filter(filter)
    }
}
