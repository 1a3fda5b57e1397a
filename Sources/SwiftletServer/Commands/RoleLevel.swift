import ArgumentParser

/// The value of `--role-level`.
enum RoleLevel {
    @Sendable static func parse(_ text: String) throws -> Int {
        guard let level = Int(text), (1...8).contains(level) else { throw ValidationError("it must be from 1 to 8.") }
        return level
    }
}
