/// Looks every few milliseconds whether the condition holds; false when it does not within the limit.
package func eventually(
    within limit: Duration = .seconds(60),
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let stopwatch = Stopwatch()
    while stopwatch.elapsed < limit {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return try await condition()
}
