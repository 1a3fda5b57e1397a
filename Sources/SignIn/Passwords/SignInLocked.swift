/// Too many wrong passwords for an account or from an address: nobody gets in that way for a while, the right password
/// included. A 429 with `Retry-After`.
package struct SignInLocked: Error, Hashable {
    package let retryAfterSeconds: Int

    package init(retryAfterSeconds: Int) { self.retryAfterSeconds = retryAfterSeconds }
}
