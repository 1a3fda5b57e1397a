package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, and says why, where no PostgreSQL is at hand.
    package static var needsDatabase: Self {
        .enabled(if: TestDatabase.url != nil, "set SWIFTLET_TEST_DATABASE_URL, or install PostgreSQL's server programs")
    }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that hangs. Not for tests that are slow: the host of a virtual machine can take nearly all of its
    /// processors for a minute, and no test then keeps to a limit that fits it.
    package static var hangLimit: Self { .timeLimit(.minutes(5)) }
}
