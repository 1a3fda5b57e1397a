public import SwiftletPostgres
public import Testing

/// What logs must not tell, a failed test should.
extension PostgresError: CustomTestStringConvertible {
    public var testDescription: String { debugDescription }
}
