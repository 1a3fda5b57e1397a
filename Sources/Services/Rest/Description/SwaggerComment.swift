/// A comment of the database in two: the first line says what something is, the rest explains it.
struct SwaggerComment {
    let whole: String?
    let title: String?
    let description: String?

    init(_ comment: String?) {
        whole = comment
        guard let comment, !comment.isEmpty else {
            title = nil
            description = nil
            return
        }
        let end = comment.firstIndex(of: "\n") ?? comment.endIndex
        title = String(comment[..<end])
        let rest = comment[end...].drop { $0 == "\n" }
        description = rest.isEmpty ? nil : String(rest)
    }
}
