package import SwiftletAuth
package import SwiftletOutbound
package import SwiftletWeb
import Synchronization

/// The public keys of an issuer, fetched by the asynchronous client. If the issuer is unavailable, the old keys stay
/// valid.
///
/// A URL is fetched again when its `Cache-Control: max-age` has passed (limited to between a minute and a day; five
/// minutes without one). Because keys are rotated, it is also fetched when a token names an unknown key, at most once a
/// minute. A file is read again by ``refresh()``, and for unknown keys.
package final class PublishedKeys: Sendable {
    package enum Place: Hashable, Sendable {
        case file(String)
        case url(String)
        /// The URL in the issuer's `/.well-known/openid-configuration`.
        case discovery(issuer: String)
    }

    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    private static let missInterval = Duration.seconds(60)
    /// How long a request waits for keys that are being fetched.
    private static let patience = Duration.seconds(2)
    private static let maximumWaiting = 1000

    private let source: KeySource
    private let clock: ServerClock
    private let onKeys: @Sendable (KeySet) -> Void
    private let onFailure: @Sendable (Failure) -> Void
    private let state = Mutex(State())

    private struct State {
        var keys: KeySet?
        var expires: UInt64 = 0
        /// When a token with an unknown key last caused a fetch.
        var lastMiss: UInt64?
        var isFetching = false
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Bool, Never>] = [:]

        /// Returns false if the task is already cancelled; a later cancellation finds the waiter.
        mutating func add(_ continuation: CheckedContinuation<Bool, Never>, _ number: Int) -> Bool {
            guard !Task.isCancelled else { return false }
            waiters[number] = continuation
            return true
        }

        mutating func remove(_ number: Int) -> CheckedContinuation<Bool, Never>? {
            waiters.removeValue(forKey: number)
        }
    }

    /// `onKeys` is called with every new set and `onFailure` for every failed fetch, both on an arbitrary thread.
    package init(
        _ place: Place,
        _ http: HTTPEngine,
        clock: ServerClock = .system,
        onKeys: @escaping @Sendable (KeySet) -> Void = { _ in },
        onFailure: @escaping @Sendable (Failure) -> Void = { _ in }
    ) {
        source = KeySource(place, http)
        self.clock = clock
        self.onKeys = onKeys
        self.onFailure = onFailure
    }

    package var place: Place { source.place }

    /// The last set; nil before the first one.
    package var current: KeySet? { state.withLock { $0.keys } }

    /// Seconds until the set should be fetched again: a minute if that has just failed and there is an older set.
    package var secondsToExpiry: Int {
        let now = clock.nanoseconds()
        let expires = state.withLock { $0.expires }
        return expires <= now ? 0 : Int((expires - now) / 1_000_000_000) + 1
    }

    /// Fetches the set now and waits for it, or for the task's cancellation. Returns whether there is a new set.
    @discardableResult
    package func refresh() async -> Bool { await fetched(within: nil) }

    /// The set, fetched if there is none or it has expired. An expired one is returned if the issuer is slow or
    /// unavailable.
    package func keys() async -> KeySet? {
        let (keys, isFresh) = state.withLock { ($0.keys, $0.keys != nil && clock.nanoseconds() < $0.expires) }
        if isFresh { return keys }
        _ = await fetched(within: keys == nil ? nil : Self.patience)
        return current
    }

    /// Fetches the set for a token with an unknown key. Returns true if there is a new set to try; false immediately if
    /// it was fetched within the last minute, and after two seconds in any case.
    package func refreshAfterMiss() async -> Bool {
        let mayFetch = state.withLock { state in
            if state.waiters.count >= Self.maximumWaiting { return false }
            if state.isFetching { return true }
            let now = clock.nanoseconds()
            if let last = state.lastMiss, now &- last < Self.nanoseconds(Self.missInterval) { return false }
            state.lastMiss = now
            return true
        }
        return mayFetch ? await fetched(within: Self.patience) : false
    }

    /// Waits for the current fetch or a new one, but not longer than `patience`.
    private func fetched(within patience: Duration?) async -> Bool {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard state.withLock({ $0.add(continuation, number) }) else {
                    return continuation.resume(returning: false)
                }
                if let patience {
                    Task {
                        try? await Task.sleep(for: patience)
                        giveUp(number)
                    }
                }
                fetch()
            }
        } onCancel: {
            giveUp(number)
        }
    }

    private func giveUp(_ number: Int) {
        state.withLock { $0.remove(number) }?.resume(returning: false)
    }

    /// Reads the set without storing it.
    package func read() async throws(Failure) -> KeySet { try await source.load().keys }

    /// The keys in a file.
    package static func read(file path: String) throws(Failure) -> KeySet { try KeySource.read(path) }

    // MARK: Fetching

    /// Starts a fetch unless one is running.
    private func fetch() {
        let isMine = state.withLock { state in
            defer { state.isFetching = true }
            return !state.isFetching
        }
        guard isMine else { return }
        Task { [self] in
            do throws(Failure) {
                let (keys, seconds) = try await source.load()
                // No issuer withdraws all keys: an empty set is an error, and the old keys are better.
                guard !keys.keys.isEmpty || current?.keys.isEmpty ?? true else {
                    throw Failure(description: "there are no usable keys any more")
                }
                onKeys(keys)
                finish(keys, seconds: seconds)
            } catch {
                onFailure(error)
                finish(nil, seconds: KeySource.lifetimes.lowerBound)
            }
        }
    }

    private func finish(_ keys: KeySet?, seconds: Int) {
        let expires = clock.nanoseconds() &+ UInt64(seconds) * 1_000_000_000
        let waiters = state.withLock { state in
            if let keys { state.keys = keys }
            // Without any set, the next caller fetches again immediately.
            if state.keys != nil { state.expires = expires }
            state.isFetching = false
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume(returning: keys != nil) }
    }

    private static func nanoseconds(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
