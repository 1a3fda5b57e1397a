import SwiftletPostgres
import SwiftletWeb

extension StatementCache {
    func call(_ text: StatementText, role: String = "", isReadOnly: Bool) -> StatementCall {
        call(text.text, text.parameters, role: role, isReadOnly: isReadOnly)
    }
}
