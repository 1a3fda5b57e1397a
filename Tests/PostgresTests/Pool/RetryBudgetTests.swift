import Testing

@testable import Postgres

@Suite struct RetryBudgetTests {
    @Test func `one query in twenty may be repeated, beyond what was saved up`() {
        var budget = RetryBudget()
        var count = 0
        while budget.spend() { count += 1 }
        #expect(count == 256)
        for _ in 0..<40 { budget.earn() }
        let further = (0..<3).map { _ in budget.spend() }
        #expect(further == [true, true, false])
    }
}
