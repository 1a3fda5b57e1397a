/// What is wrong with a call.
struct BatchFault: Error {
    let field: String
    let reason: String

    init(_ field: String, _ reason: String) {
        self.field = field
        self.reason = reason
    }
}
