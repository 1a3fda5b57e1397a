/// The words of a constraint such as `CHECK (status IN ('open', 'done'))`, as PostgreSQL prints it:
///
///     CHECK (((status)::text = ANY ((ARRAY['open'::character varying, 'done'::character varying])::text[])))
struct CheckList {
    let words: [String]

    /// nil for constraints of any other form.
    init?(_ definition: String, column: String) {
        var words: [String] = []
        var rest = ""
        var scanner = definition.makeIterator()
        var next = scanner.next()
        while let character = next {
            next = scanner.next()
            guard character == "'" else {
                if character != "(" && character != ")" && character != " " { rest.append(character) }
                continue
            }
            var word = ""
            while let part = next {
                next = scanner.next()
                if part == "'" {
                    // Two of them stand for one.
                    guard next == "'" else { break }
                    next = scanner.next()
                }
                word.append(part)
            }
            words.append(word)
        }
        for cast in ["::text[]", "::charactervarying[]", "::charactervarying", "::text", "::bpchar"] {
            rest.replace(cast, with: "")
        }
        let name = column.filter { $0 != " " && $0 != "(" && $0 != ")" }
        let names = [name, "\"\(name)\""]
        let commas = String(repeating: ",", count: max(words.count - 1, 0))
        let isList = names.contains { name in
            let list = "\(name)=ANYARRAY[\(commas)]"
            return rest == "CHECK" + list || rest == "CHECK\(name)ISNULLOR\(list)"
                || rest == "CHECK\(list)OR\(name)ISNULL" || words.count == 1 && rest == "CHECK\(name)="
        }
        guard isList, !words.isEmpty else { return nil }
        self.words = words
    }
}
