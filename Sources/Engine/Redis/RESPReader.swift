/// Reads what a redis says in version 3 of its protocol, which version 2 is a part of, and takes no more than its limits.
package struct RESPReader: Sendable {
    package static let maximumLineBytes = 4096
    /// Of one value with all that is in it.
    package static let maximumBytes = 8_388_608
    package static let maximumItems = 4096
    package static let maximumDepth = 8

    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ bytes: some Sequence<UInt8>) { buffer.append(contentsOf: bytes) }

    /// The next value; nil until all of it has come.
    package mutating func next() throws(RESPError) -> RESPValue? {
        var scan = RESPScan(offset: start)
        guard let value = try scan.value(in: buffer, depth: 0) else {
            if buffer.count - start > Self.maximumBytes { throw .tooLarge }
            if start > 0 {
                buffer.removeFirst(start)
                start = 0
            }
            return nil
        }
        start = scan.offset
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 65_536)
            start = 0
        }
        return value
    }
}

/// One attempt to read a value.
private struct RESPScan {
    private static let kinds = Array("+,(#-:_$=!*~%>".utf8)

    var offset: Int
    private var items = 0
    private let first: Int

    init(offset: Int) { (self.offset, first) = (offset, offset) }

    mutating func value(in buffer: [UInt8], depth: Int) throws(RESPError) -> RESPValue? {
        items += 1
        guard items <= RESPReader.maximumItems, depth <= RESPReader.maximumDepth else { throw .tooLarge }
        guard offset < buffer.count else { return nil }
        let kind = buffer[offset]
        guard Self.kinds.contains(kind) else { throw .invalid }
        guard let line = try line(in: buffer) else { return nil }
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: "#"):
            return .line(String(decoding: line, as: UTF8.self))
        case UInt8(ascii: "-"): return .fault(String(decoding: line, as: UTF8.self))
        case UInt8(ascii: ":"): return .integer(try number(line))
        case UInt8(ascii: "_"):
            guard line.isEmpty else { throw .invalid }
            return .null
        case UInt8(ascii: "$"), UInt8(ascii: "="), UInt8(ascii: "!"):
            let count = try number(line)
            if count == -1 { return .null }
            guard let bytes = try bytes(count, in: buffer) else { return nil }
            return kind == UInt8(ascii: "!") ? .fault(String(decoding: bytes, as: UTF8.self)) : .bytes(Array(bytes))
        case UInt8(ascii: "*"), UInt8(ascii: "~"): return try list(number(line), in: buffer, depth)
        case UInt8(ascii: "%"):
            let count = try number(line)
            guard count <= RESPReader.maximumItems else { throw .tooLarge }
            return try list(count * 2, in: buffer, depth)
        case UInt8(ascii: ">"):
            guard let value = try list(number(line), in: buffer, depth) else { return nil }
            guard case .list(let items) = value else { throw .invalid }
            return .push(items)
        default: throw .invalid
        }
    }

    /// What is between the kind and the end of the line; nil while there is none.
    private mutating func line(in buffer: [UInt8]) throws(RESPError) -> ArraySlice<UInt8>? {
        let rest = buffer[(offset + 1)...].prefix(RESPReader.maximumLineBytes)
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count < RESPReader.maximumLineBytes else { throw .tooLarge }
            return nil
        }
        guard end > rest.startIndex, buffer[end - 1] == UInt8(ascii: "\r") else { throw .invalid }
        offset = end + 1
        return buffer[rest.startIndex..<end - 1]
    }

    private func number(_ line: ArraySlice<UInt8>) throws(RESPError) -> Int {
        guard let number = Int(String(decoding: line, as: UTF8.self)) else { throw .invalid }
        return number
    }

    private mutating func bytes(_ count: Int, in buffer: [UInt8]) throws(RESPError) -> ArraySlice<UInt8>? {
        guard count >= 0 else { throw .invalid }
        guard count <= RESPReader.maximumBytes, offset - first <= RESPReader.maximumBytes - count else {
            throw .tooLarge
        }
        guard buffer.count - offset >= count + 2 else { return nil }
        let end = offset + count
        guard buffer[end] == UInt8(ascii: "\r"), buffer[end + 1] == UInt8(ascii: "\n") else { throw .invalid }
        defer { offset = end + 2 }
        return buffer[offset..<end]
    }

    private mutating func list(_ count: Int, in buffer: [UInt8], _ depth: Int) throws(RESPError) -> RESPValue? {
        if count == -1 { return .null }
        guard count >= 0 else { throw .invalid }
        guard count <= RESPReader.maximumItems else { throw .tooLarge }
        var values: [RESPValue] = []
        for _ in 0..<count {
            guard let value = try value(in: buffer, depth: depth + 1) else { return nil }
            values.append(value)
        }
        return .list(values)
    }
}
