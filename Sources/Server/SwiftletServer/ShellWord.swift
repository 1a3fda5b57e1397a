/// A text as one word of a POSIX shell's command line, to be pasted: in single quotes unless no character is special.
struct ShellWord: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let isPlain = text.allSatisfy { character in
            character.isLetter || character.isNumber || "/._-@:=+,%".contains(character)
        }
        description = isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
