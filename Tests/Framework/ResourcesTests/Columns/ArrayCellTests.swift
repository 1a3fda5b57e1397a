import SwiftletJSON
import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct ArrayCellTests {
    @Test(arguments: [
        ("{}", "[]"), ("{a}", #"["a"]"#), ("{a,b c,NULL}", #"["a","b c",null]"#),
        (#"{"NULL","a,b","c\"d\\e","{}",""}"#, #"["NULL","a,b","c\"d\\e","{}",""]"#),
        ("[0:1]={a,b}", #"["a","b"]"#), ("{{a,b},{c,NULL}}", #"[["a","b"],["c",null]]"#),
        (#"[1:1][2:3]={{"}","{"}}"#, #"[["}","{"]]"#), ("{{{a},{b}},{{c},{d}}}", #"[[["a"],["b"]],[["c"],["d"]]]"#),
    ])
    func `is a JSON array of as many dimensions`(cell: String, json: String) {
        #expect(written { ArrayCell.write(cell.utf8.span, of: .text(maximumLength: nil), to: &$0) } == json)
    }

    @Test(arguments: [
        (ColumnKind.numeric, "{{1.50,NaN},{NULL,-2}}", "[[1.50,null],[null,-2]]"), (.bool, "{t,f}", "[true,false]"),
        (.timestamp, #"{"2024-01-15 10:30:00.9",infinity}"#, #"["2024-01-15T10:30:00Z",null]"#),
        (.date, #"{2024-01-15,10000-01-01,"0044-03-15 BC"}"#, #"["2024-01-15",null,null]"#),
    ])
    func `writes its elements by their type`(element: ColumnKind, cell: String, json: String) {
        #expect(written { ArrayCell.write(cell.utf8.span, of: element, to: &$0) } == json)
    }

    @Test(arguments: [
        ("{NULL,a,NULL,NULL,b,NULL}", #"["a","b"]"#), ("{NULL}", "[]"),
        (#"{{a,NULL},{"NULL",b}}"#, #"["a","NULL","b"]"#),
        ("{{NULL},{NULL}}", "[]"), ("{{NULL,a},{b,NULL}}", #"["a","b"]"#),
    ])
    func `is a list of strings for clients that decode one`(cell: String, json: String) {
        let text = written { ArrayCell.write(cell.utf8.span, of: .text(maximumLength: nil), isFlat: true, to: &$0) }
        #expect(text == json)
    }

    @Test(arguments: [
        (ColumnKind.bool, "{t,NULL,f}", #"["true","false"]"#), (.numeric, "{1.50,NaN}", #"["1.50","NaN"]"#),
        (.timestamp, #"{"2024-01-15 10:30:00.9",infinity}"#, #"["2024-01-15T10:30:00Z","infinity"]"#),
    ])
    func `is a list of strings whatever its elements are`(element: ColumnKind, cell: String, json: String) {
        #expect(written { StringsCell.writeList(cell.utf8.span, of: .array(element), to: &$0) } == json)
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var json = JSONWriter()
        write(&json)
        return String(decoding: json.finish(), as: UTF8.self)
    }
}
