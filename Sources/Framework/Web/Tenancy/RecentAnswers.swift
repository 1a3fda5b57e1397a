import Synchronization

/// Remembers for a while what the database has answered, for a bounded number of keys.
final class RecentAnswers<Answer: Sendable>: Sendable {
    private let clock: ServerClock
    private let capacity = 10_000
    private let answers = Mutex<[String: (answer: Answer, expires: UInt64)]>([:])

    init(clock: ServerClock) {
        self.clock = clock
    }

    /// nil if there is none, or it is too old.
    subscript(_ key: String) -> Answer? {
        let now = clock.nanoseconds()
        return answers.withLock { answers in answers[key].flatMap { now < $0.expires ? $0.answer : nil } }
    }

    func remember(_ answer: Answer, for key: String, seconds: UInt64) {
        let now = clock.nanoseconds()
        answers.withLock { answers in
            if answers.count >= capacity { answers = answers.filter { now < $0.value.expires } }
            if answers.count >= capacity { answers.removeAll(keepingCapacity: true) }
            answers[key] = (answer, now &+ seconds &* 1_000_000_000)
        }
    }
}
