import Testing

@testable import SwiftletServer

@Suite struct CommandSuggestionTests {
    @Test(
        arguments: [
            (["statsu"], "there is no command swiftlet statsu: perhaps you meant swiftlet status"),
            (["storage", "lss"], "there is no command swiftlet storage lss: perhaps you meant swiftlet storage ls"),
            (["db", "xyz"], "there is no command swiftlet db xyz: there are shell, diff, seed"),
        ]
    )
    func `names what may have been meant`(arguments: [String], text: String) {
        #expect(CommandSuggestion.find(arguments) == text)
    }

    @Test(
        arguments: [
            [], ["--help"], ["dev", "--watch"], ["storage", "ls", "storage://b"], ["migrate", "up"], ["migrate", "x"],
            ["help", "dev"], ["db", "shell", "-c", "x"],
        ]
    )
    func `says nothing of what exists, or is for the parser`(arguments: [String]) {
        #expect(CommandSuggestion.find(arguments) == nil)
    }
}
