import Testing

@testable import SwiftletResources
import SwiftletWeb

@Suite struct EnumerationTests {
    private let words = Enumeration(
        "todo",
        "in_progress",
        "completed",
        synonyms: ["blocked": "in_progress", "done": "completed"]
    )

    @Test(arguments: [
        ("todo", "todo"), ("Done", "completed"), ("In Progress", "in_progress"), ("in-progress", "in_progress"),
        ("blocked", "in_progress"),
    ])
    func `maps words and synonyms`(text: String, word: String) {
        #expect(words.word(for: text) == word)
    }

    @Test func `refuses other words`() {
        #expect(words.word(for: "started") == nil)
    }

    @Test(arguments: [nil, "", "started", "null"])
    func `never lets an unknown word out`(stored: String?) {
        #expect(words.word(forStored: stored) == "todo")
    }

    @Test(arguments: [#"a"b"#, #"a\b"#, "a\nb", "a\u{0}b"] as [StaticString])
    func `has a fault if a word needs escaping in JSON`(word: StaticString) {
        #expect(Enumeration("todo", word).fault != nil)
    }

    @Test func `has a fault if a synonym stands for no word`() {
        #expect(words.fault == nil)
        #expect(Enumeration("todo", "è/\u{7F}").fault == nil)
        #expect(Enumeration("todo", synonyms: ["done": "completed"]).fault != nil)
        #expect(Enumeration("todo", synonyms: ["a": "b", "b": "todo"]).fault != nil)
    }

    @Test func `knows every spelling of a word`() {
        #expect(words.spellings(of: "completed") == ["completed", "COMPLETED", "Completed", "done", "DONE", "Done"])
        let spellings = words.spellings(of: "in_progress")
        #expect(spellings.first == "in_progress")
        #expect(Set(spellings).isSuperset(of: ["In Progress", "IN-PROGRESS", "In progress", "blocked", "Blocked"]))
        for spelling in spellings { #expect(words.word(for: spelling) == "in_progress") }
        #expect(Set(spellings).count == spellings.count)
    }
}
