import SwiftletPostgres
import SwiftletWeb

/// The cells of one result, which its rows share.
final class ResourceResult: Sendable {
    let rows: Rows
    let layout: ResultLayout

    init(_ rows: consuming Rows, _ layout: ResultLayout) {
        self.rows = rows
        self.layout = layout
    }
}
