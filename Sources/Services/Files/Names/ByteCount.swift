import SwiftletJSON

/// A limit in bytes, as clients write it: `1048576`, `"1048576"`, `"50MB"`. Units are decimal.
struct ByteCount: Hashable, Sendable {
    let bytes: Int

    private static let units: [(name: String, bytes: Double)] = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1)]

    /// Throws ``FilesError`` unless it is a limit.
    init(_ value: JSONValue) throws(FilesError) {
        guard let bytes = value.int ?? value.string.flatMap(Self.read), bytes >= 0 else {
            throw FilesError(422, "InvalidFileSizeLimit", "Invalid Input", "file_size_limit is no number of bytes")
        }
        self.bytes = bytes
    }

    private static func read(_ text: String) -> Int? {
        let text = text.filter { $0 != " " }.uppercased()
        if let bytes = Int(text) { return bytes }
        for (name, unit) in units where text.hasSuffix(name) {
            guard let number = Double(text.dropLast(name.count)), number >= 0, number * unit < 0x1p53 else {
                return nil
            }
            return Int(number * unit)
        }
        return nil
    }
}
