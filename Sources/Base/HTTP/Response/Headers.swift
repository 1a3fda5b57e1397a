import SwiftletBytes

/// The fields of a response in the order of appending, stored in wire format (`Name: value`, CR LF).
///
/// No value can end its line: control bytes become spaces. A name is a token by its type.
public struct Headers: Sendable, Equatable {
    /// The lines in wire format, each with its CR LF.
    package private(set) var lines: [UInt8] = []
    /// Room for the fields that usually follow a block of prepared ones.
    private static let usualBytes = 256

    public init() {}

    /// The first value of a field; setting replaces all of them, nil removes them.
    public subscript(name: Name) -> String? {
        get {
            var found: String?
            forEachLine(named: name) { line, value in
                if found == nil { found = String(decoding: lines[value], as: UTF8.self) }
            }
            return found
        }
        set {
            remove(name)
            if let newValue { append(name, newValue) }
        }
    }

    /// Every value of a field, in order.
    public func all(_ name: Name) -> [String] {
        var values: [String] = []
        forEachLine(named: name) { _, value in values.append(String(decoding: lines[value], as: UTF8.self)) }
        return values
    }

    /// Appends one line.
    ///
    /// `Content-Length`, `Transfer-Encoding`, `Connection`, `Keep-Alive`, `Trailer`, `Upgrade` and `Date` belong to the
    /// serializer and are dropped here. Control bytes become spaces, outer white space is trimmed.
    public mutating func append(_ name: Name, _ value: String) {
        var value = value
        value.withUTF8 { bytes in unsafe append(name, utf8: bytes.span) }
    }

    /// The same for a value in UTF-8.
    package mutating func append(_ name: Name, utf8 value: borrowing Span<UInt8>) {
        guard !name.isReserved else { return }
        var start = 0
        var end = value.count
        while start < end, isBlank(value[start]) { start &+= 1 }
        while end > start, isBlank(value[end &- 1]) { end &-= 1 }

        lines.append(contentsOf: name.text.utf8)
        lines.append(UInt8(ascii: ":"))
        lines.append(UInt8(ascii: " "))
        if value.firstControl(from: start) >= end {
            unsafe value.extracting(start..<end).withUnsafeBufferPointer { unsafe lines.append(contentsOf: $0) }
        } else {
            for index in start..<end { lines.append(isControl(value[index]) ? UInt8(ascii: " ") : value[index]) }
        }
        lines.append(UInt8(ascii: "\r"))
        lines.append(UInt8(ascii: "\n"))
    }

    /// Reserves room for `block` and `more` bytes.
    package mutating func reserve(_ block: HeaderBlock, and more: Int) {
        lines.reserveCapacity(lines.count + block.lines.count + more)
    }

    /// Appends the lines of a block, which were validated when it was made.
    package mutating func append(_ block: HeaderBlock) {
        if lines.isEmpty { lines.reserveCapacity(block.lines.count + Self.usualBytes) }
        lines.append(contentsOf: block.lines)
    }

    private mutating func remove(_ name: Name) {
        var ranges: [Range<Int>] = []
        forEachLine(named: name) { line, _ in ranges.append(line) }
        for range in ranges.reversed() { lines.removeSubrange(range) }
    }

    /// Calls back with the range of each line of that name and of the value in it.
    private func forEachLine(named name: Name, _ body: (_ line: Range<Int>, _ value: Range<Int>) -> Void) {
        let wanted = name.text.utf8.span
        let bytes = lines.span
        var start = 0
        while start < bytes.count {
            var lineFeed = start
            while lineFeed < bytes.count, bytes[lineFeed] != UInt8(ascii: "\n") { lineFeed &+= 1 }
            guard lineFeed < bytes.count else { return }
            let colon = start &+ wanted.count
            if colon < lineFeed, bytes[colon] == UInt8(ascii: ":"), isName(wanted, of: bytes, from: start) {
                body(start..<(lineFeed &+ 1), (colon &+ 2)..<(lineFeed &- 1))
            }
            start = lineFeed &+ 1
        }
    }

    private func isName(_ wanted: Span<UInt8>, of bytes: Span<UInt8>, from start: Int) -> Bool {
        for index in wanted.indices where asciiLowercase(bytes[start &+ index]) != asciiLowercase(wanted[index]) {
            return false
        }
        return true
    }
}
