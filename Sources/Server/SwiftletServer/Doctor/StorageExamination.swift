import SwiftletFiles

/// Tries the place for files, without leaving anything there.
struct StorageExamination: Sendable {
    private let settings: StorageSettings

    init(_ settings: StorageSettings) { self.settings = settings }

    /// Whether images can be rendered.
    static func finding(on images: ImageSettings) -> Finding {
        guard images.isOn else { return .good("images", "IMAGES=off: none are rendered") }
        guard images.hasProgram else {
            return .note(
                "images",
                "none are rendered: vipsthumbnail is not in PATH; install libvips-tools, or set IMAGES=off"
            )
        }
        return .good("images", "rendered by libvips")
    }

    func finding() async -> Finding {
        do {
            try await settings.open().probe()
        } catch {
            return .fault("storage", "\(settings.place): \(error): check STORAGE_PATH, or S3_BUCKET and its like")
        }
        if case .bucket(let settings, _) = settings.place, settings.endpoint.lowercased().hasPrefix("http:") {
            return .note("storage", "\(self.settings.place), by plain HTTP: for one network that you trust")
        }
        return .good("storage", "\(settings.place)")
    }
}
