import SwiftletBlockingPool
import SwiftletHTTP

/// A folder that another server has filled, under names that its clients have chosen. It is only read, and no symbolic
/// link is followed below it.
package struct ForeignFolder: Sendable {
    private let path: String
    private let threads = BlockingPool("foreign-files", width: 4)

    private static let pieceBytes = 128 * 1024

    package init(path: String) { self.path = path }

    /// Whether there is anything at all here, see ``ObjectStore``.
    package func isFilled() async throws -> Bool {
        let path = path
        return try await threads.run { try Folder.find(path, [])?.isFilled() ?? false }
    }

    /// The file below the folders; nil if there is none, or if a name leads elsewhere.
    package func open(_ segments: [String]) async throws -> StoredObject? {
        let areNames = segments.allSatisfy { name in
            !["", ".", ".."].contains(name) && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
        }
        guard areNames, let name = segments.last else { return nil }
        let (path, threads) = (path, threads)
        return try await threads.run {
            guard let file = try Folder.find(path, segments.dropLast())?.open(name) else { return nil }
            return StoredObject(length: try file.size(), contentType: .bytes, pieceBytes: Self.pieceBytes) { range in
                try await threads.run { try file.read(at: range.lowerBound, range.count) }
            }
        }
    }
}
