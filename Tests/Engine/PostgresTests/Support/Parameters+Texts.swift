@testable import SwiftletPostgres

extension Parameters {
    /// The values as text, read back from what libpq is given.
    var texts: [String?] {
        unsafe withCStrings { count, pointers in
            (0..<Int(count)).map { index in
                unsafe pointers?[index].map { unsafe String(cString: $0) }
            }
        }
    }
}

extension Rows {
    /// One cell as text, nil for NULL.
    func text(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : String(sqlText: cell(row, column))
    }
}
