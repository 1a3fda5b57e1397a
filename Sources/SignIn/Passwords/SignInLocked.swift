/// An account or address is locked after too many wrong passwords, even for the right one. A 429 with `Retry-After`.
struct SignInLocked: Error, Hashable {
    let retryAfterSeconds: Int

    init(retryAfterSeconds: Int) { self.retryAfterSeconds = retryAfterSeconds }
}
