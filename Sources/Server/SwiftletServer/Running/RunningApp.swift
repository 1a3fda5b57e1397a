import Swiftlet

/// The app whose command runs. Commands are made by the parser of arguments, which knows of none.
struct RunningApp: Sendable {
    @TaskLocal static var current = RunningApp()

    var functions: [Function] = []
    var settings: [Setting] = []
    /// Whether there must be a folder with migrations.
    var hasMigrations = true
    /// Apps of the program that `APPS` leaves out. Their folders of migrations are left out as well.
    var omittedApps: Set<String> = []
    var demoData: [String] = []
    var examples: [String] = []
    var summaries: [String: String] = [:]
}
