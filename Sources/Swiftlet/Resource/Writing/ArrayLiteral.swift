/// PostgreSQL's text form of one-dimensional arrays (manual, 8.15.2): `{a,"b c",NULL}`.
enum ArrayLiteral {
    /// Every element is quoted, so that none is taken for `NULL` or a delimiter.
    static func text(_ elements: [String?]) -> String {
        var text = "{"
        for (position, element) in elements.enumerated() {
            if position > 0 { text += "," }
            guard let element else {
                text += "NULL"
                continue
            }
            text += "\""
            for character in element.unicodeScalars {
                if character == "\"" || character == "\\" { text += "\\" }
                text.unicodeScalars.append(character)
            }
            text += "\""
        }
        return text + "}"
    }
}
