package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, and says why, where no PostgreSQL is at hand.
    package static var needsDatabase: Self {
        .enabled(if: TestDatabase.url != nil, "set SWIFTLET_TEST_DATABASE_URL, or install PostgreSQL's server programs")
    }
}
