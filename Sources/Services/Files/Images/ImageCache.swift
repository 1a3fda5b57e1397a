import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletStorage
import Synchronization

/// Rendered images in a folder. A name says all that decides over the content, so that nothing in it is ever wrong;
/// when there is too much, what was not asked for the longest is removed.
final class ImageCache: Sendable {
    private struct State {
        var flights: [String: Task<Void, any Error>] = [:]
        /// nil until the folder was counted.
        var bytes: Int?
    }

    private let folder: String
    private let maximumBytes: Int
    /// Where nobody waits for an image that is rendered.
    private let threads = BlockingPool("image-cache", width: 1, depth: 256)
    private let reader: ForeignFolder
    private let state = Mutex(State())

    init(folder: String, maximumBytes: Int) {
        self.folder = folder
        self.maximumBytes = maximumBytes
        reader = ForeignFolder(path: folder)
        threads.begin { [folder] in Self.clean(folder) }
    }

    /// Removes what a server that was killed has left behind.
    private static func clean(_ folder: String) {
        for file in files(in: folder) where file.isUnfinished && file.used < Date(timeIntervalSinceNow: -60) {
            try? FileManager.default.removeItem(atPath: file.path)
        }
    }

    /// The image of this name, which begins with two digits. `render` writes it to the path that it gets, once however
    /// many ask for it at the same time; it goes on when they leave.
    func image(
        _ name: String,
        _ render: @escaping @Sendable (_ path: String) async throws -> Void
    ) async throws
        -> StoredObject?
    {
        let place = [String(name.prefix(2)), name]
        if let image = try await reader.open(place) {
            touch(place)
            return image
        }
        let flight = state.withLock { state in
            if let flight = state.flights[name] { return flight }
            let flight = Task {
                defer { _ = self.state.withLock { $0.flights.removeValue(forKey: name) } }
                try await self.add(place, render)
            }
            state.flights[name] = flight
            return flight
        }
        try await flight.value
        return try await reader.open(place)
    }

    private func add(_ place: [String], _ render: (_ path: String) async throws -> Void) async throws {
        let shelf = "\(folder)/\(place[0])"
        let path = "\(shelf)/.\(place[1]).\(UInt64.random(in: .min ... .max))"
        // Only the server: the objects may be private.
        try FileManager.default.createDirectory(
            atPath: shelf,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await render(path)
        guard let size = FileStatus(atPath: path)?.size else { throw CocoaError(.fileNoSuchFile) }
        // Another server may have been as fast.
        guard unsafe rename(path, "\(shelf)/\(place[1])") == 0 else { throw CocoaError(.fileWriteUnknown) }
        let isFull = state.withLock { state in
            state.bytes = state.bytes.map { $0 + size }
            return state.bytes.map { $0 > maximumBytes } ?? true
        }
        if isFull { threads.begin { self.sweep() } }
    }

    /// The time of a file is that of its last use.
    private func touch(_ place: [String]) {
        let path = "\(folder)/\(place[0])/\(place[1])"
        threads.begin { try? FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path) }
    }

    private struct File {
        let path: String
        let size: Int
        let used: Date
        /// It is being rendered.
        let isUnfinished: Bool
    }

    private static func files(in folder: String) -> [File] {
        FileTree(folder).files().filter { !$0.isLink }.map { file in
            File(
                path: "\(folder)/\(file.name)",
                size: file.size,
                used: file.modified,
                isUnfinished: file.name.split(separator: "/").last?.hasPrefix(".") == true
            )
        }
    }

    /// Counts the folder, and makes a tenth of room if it is full.
    private func sweep() {
        let files = Self.files(in: folder).filter { !$0.isUnfinished }
        var bytes = files.reduce(0) { $0 + $1.size }
        if bytes > maximumBytes {
            for file in files.sorted(by: { $0.used < $1.used }) where bytes > maximumBytes / 10 * 9 {
                try? FileManager.default.removeItem(atPath: file.path)
                bytes -= file.size
            }
        }
        let left = bytes
        state.withLock { $0.bytes = left }
    }
}
