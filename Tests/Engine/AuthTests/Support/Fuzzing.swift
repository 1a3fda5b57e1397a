#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

enum Fuzzing {
    /// How long each of the random tests runs: two seconds, or as long as the environment says.
    static let seconds: Double = {
        guard let text = unsafe getenv("SWIFTLET_FUZZ_SECONDS") else { return 2 }
        return unsafe Double(String(cString: text)) ?? 2
    }()
}
