import Logging
import Testing

@testable import SwiftletJobs

@Suite struct JobOutcomeTests {
    @Test(arguments: [
        (JobOutcome.done, false, 1, Logger.Level.info), (.done, true, 1, .debug), (.done, true, 2, .info),
        (.retry(after: .seconds(1), "x"), true, 1, .info), (.failed("x"), true, 1, .error),
        (.failed("x"), false, 3, .error), (.returned, true, 1, .debug),
    ])
    func `upkeep that went well at once is no news`(
        outcome: JobOutcome,
        isUpkeep: Bool,
        attempt: Int,
        level: Logger.Level
    ) {
        #expect(outcome.level(isUpkeep: isUpkeep, attempt: attempt) == level)
    }
}
