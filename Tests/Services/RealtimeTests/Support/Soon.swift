import SwiftletTesting

/// Runs what may block.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await blocking { Result { try body() } }.get()
}

/// Waits until the condition holds; false after twenty seconds. Blocks.
func soon(_ condition: () throws -> Bool) rethrows -> Bool {
    for _ in 0..<4000 {
        if try condition() { return true }
        pause(.milliseconds(5))
    }
    return false
}
