import Swiftlet

/// The app whose command runs. Commands are made by the parser of arguments, which knows of none.
struct RunningApp: Sendable {
    @TaskLocal static var current = RunningApp()

    var functions: [Function] = []
    var hasMigrations = true
    var demoData: [String] = []
    var examples: [String] = []
}
