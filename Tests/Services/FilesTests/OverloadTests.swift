import SwiftletPostgres
import Testing

@testable import SwiftletFiles

@Suite struct OverloadTests {
    @Test(arguments: [(PostgresError.overloaded, 429, "SlowDown"), (.waitedTooLong, 544, "DatabaseTimeout")])
    func `a database that has no room is another error than one that takes too long`(
        error: PostgresError,
        status: Int,
        code: String
    ) {
        let answer = FilesError(error)
        #expect((answer.status, answer.code) == (status, code))
    }
}
