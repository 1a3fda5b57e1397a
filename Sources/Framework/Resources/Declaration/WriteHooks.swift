public import SwiftletWeb

/// The two ways in which a row gets new values.
public enum WriteAction: Hashable, Sendable {
    case create
    case update
}

/// May read and change the values that are about to be written, or refuse the write by throwing an ``APIError``.
///
/// It runs a second time if a statement fails because the schema has changed.
public typealias BeforeWrite = @Sendable (inout Change, Context) async throws -> Void

/// The same with the row as it is in the database, under the names of its columns; empty on create.
public typealias BeforeWriteOfRow = @Sendable (inout Change, JSONObject, Context) async throws -> Void

/// Gets the row as it was written.
public typealias AfterWrite = @Sendable (ResourceRow, Context) async throws -> Void

struct BeforeHook: Sendable {
    let actions: Set<WriteAction>
    let run: Run

    enum Run: Sendable {
        case values(BeforeWrite)
        case row(BeforeWriteOfRow)
    }

    /// Whether an update must read the row first.
    var readsRow: Bool {
        if case .row = run { actions.contains(.update) } else { false }
    }
}

struct AfterHook: Sendable {
    let actions: Set<WriteAction>
    let run: AfterWrite
}
