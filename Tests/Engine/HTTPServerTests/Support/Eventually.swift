import SwiftletTesting

/// Waits until the condition holds; false after twenty seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<4000 {
        if condition() { return true }
        pause(.milliseconds(5))
    }
    return false
}
