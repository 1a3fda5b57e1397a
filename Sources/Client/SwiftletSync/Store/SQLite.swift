import Foundation

#if canImport(SQLite3)
import SQLite3
#else
import SwiftletCSQLite
#endif

/// Why the local store cannot be used: SQLite's text, which names no row.
public struct SyncStoreError: Error, Sendable, CustomStringConvertible {
    public let description: String
}

/// One connection to an SQLite database, for one user at a time.
///
/// Apple's systems and Debian have SQLite itself, so this is the few calls of it that are needed.
@safe final class SQLite {
    enum Value {
        case text(String?)
        case integer(Int)
    }

    private let handle: OpaquePointer
    /// Statements by their texts, of which a store has some twenty.
    private var prepared: [String: Statement] = [:]

    @safe private final class Statement {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

        deinit { unsafe sqlite3_finalize(pointer) }
    }

    init(_ path: String) throws {
        var handle: OpaquePointer?
        // One user at a time is what the store's actor sees to.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
        guard let opened = unsafe handle else { throw SyncStoreError(description: "SQLite cannot be opened") }
        unsafe self.handle = opened
        guard code == SQLITE_OK else { throw fault }
        unsafe sqlite3_busy_timeout(opened, 5000)
    }

    /// SQLite itself waits for the statements.
    deinit { unsafe sqlite3_close_v2(handle) }

    private var fault: SyncStoreError {
        SyncStoreError(description: unsafe String(cString: sqlite3_errmsg(handle)))
    }

    /// Several statements without values.
    func script(_ text: String) throws {
        guard unsafe sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK else { throw fault }
    }

    /// One statement; its rows as texts.
    @discardableResult
    func run(_ text: String, _ values: Value...) throws -> [[String?]] { try run(text, values) }

    @discardableResult
    func run(_ text: String, _ values: [Value]) throws -> [[String?]] {
        let statement = unsafe try prepare(text).pointer
        defer {
            unsafe sqlite3_reset(statement)
            unsafe sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try unsafe bind(value, CInt(index + 1), statement) }
        var rows: [[String?]] = []
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW:
                let count = unsafe sqlite3_column_count(statement)
                rows.append((0..<count).map { unsafe Self.text(statement, $0) })
            case SQLITE_DONE: return rows
            default: throw fault
            }
        }
    }

    private func prepare(_ text: String) throws -> Statement {
        if let known = prepared[text] { return known }
        var made: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(handle, text, -1, &made, nil) == SQLITE_OK, let statement = unsafe made else {
            throw fault
        }
        let kept = unsafe Statement(statement)
        prepared[text] = kept
        return kept
    }

    private func bind(_ value: Value, _ index: CInt, _ statement: OpaquePointer) throws {
        // SQLITE_TRANSIENT, which is a cast in C: the text is copied.
        let copies = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code: CInt =
            switch value {
            case .text(nil): unsafe sqlite3_bind_null(statement, index)
            case .text(let text?): unsafe sqlite3_bind_text(statement, index, text, CInt(text.utf8.count), copies)
            case .integer(let number): unsafe sqlite3_bind_int64(statement, index, Int64(number))
            }
        guard code == SQLITE_OK else { throw fault }
    }

    private static func text(_ statement: OpaquePointer, _ column: CInt) -> String? {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// All of the body or, if it throws, nothing of it.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try script("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try script("COMMIT")
            return result
        } catch {
            try? script("ROLLBACK")
            throw error
        }
    }
}
