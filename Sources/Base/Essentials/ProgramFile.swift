/// The file of this program.
package enum ProgramFile {
    /// nil where the system does not say it.
    package static var path: String? {
        #if canImport(Darwin)
        Bundle.main.executablePath
        #else
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #endif
    }
}
