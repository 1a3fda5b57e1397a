/// The values of one row as they are in a message, in the order of the relation's columns.
package struct RowImage: Hashable, Sendable {
    package enum Cell: Hashable, Sendable {
        case null
        /// A large value that the update did not touch: it is not in the message.
        case unchanged
        /// The range of the text, in ``bytes``.
        case text(Range<Int>)
    }

    /// The whole message, of which the cells are ranges.
    package let bytes: [UInt8]
    package let cells: [Cell]

    /// The text of a cell; nil for NULL, an unchanged value, and beyond the last column.
    package subscript(_ column: Int) -> ArraySlice<UInt8>? {
        guard cells.indices.contains(column), case .text(let range) = cells[column] else { return nil }
        return bytes[range]
    }

    package func text(_ column: Int) -> String? { self[column].map { String(decoding: $0, as: UTF8.self) } }
}

/// What the log has of a row before its change.
package enum OldRow: Hashable, Sendable {
    /// Only the columns of the replica identity have values; the others are null.
    case key(RowImage)
    case full(RowImage)

    package var image: RowImage {
        switch self {
        case .key(let image), .full(let image): image
        }
    }

    package var isFull: Bool {
        if case .full = self { true } else { false }
    }
}
