import SwiftletBytes

/// A growable buffer of raw bytes with a single owner, into which ``JSONWriter`` writes.
///
/// There are always ``slack`` bytes beyond the reserved ones, so that a whole word can be stored where only a part of
/// it counts. The inner loops therefore need no bytewise tail.
@safe
struct ByteBuffer: ~Copyable {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    static let slack = 8

    init(minimumCapacity: Int) {
        capacity = max(minimumCapacity, 0) + Self.slack
        unsafe memory = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit { unsafe memory.deallocate() }

    /// The bytes written so far, read in place.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let start = unsafe UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
            let span = unsafe Span(_unsafeStart: start, count: count)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The byte written last; nil at the start.
    var last: UInt8? {
        @inline(__always) get {
            count == 0 ? nil : unsafe memory.load(fromByteOffset: count &- 1, as: UInt8.self)
        }
    }

    /// Makes room for `additional` bytes. The buffer at least doubles when it grows.
    @inline(__always)
    mutating func reserve(_ additional: Int) {
        if capacity &- count &- Self.slack < additional { grow(additional) }
    }

    @inline(never)
    private mutating func grow(_ additional: Int) {
        let newCapacity = max(capacity * 2, count + additional + Self.slack)
        let newMemory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 8)
        unsafe newMemory.copyMemory(from: memory, byteCount: count)
        unsafe memory.deallocate()
        unsafe memory = newMemory
        capacity = newCapacity
    }

    /// Drops everything after the first `newCount` bytes.
    mutating func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count, "can only shorten")
        count = newCount
    }

    /// Appends one byte.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        appendReserved(byte)
    }

    /// Appends one byte for which the caller has reserved room.
    @inline(__always)
    mutating func appendReserved(_ byte: UInt8) {
        assert(count < capacity, "room was not reserved")
        unsafe memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    /// Appends the first `length` (at most 8) bytes of a word, lowest first, for which the caller has reserved room.
    @inline(__always)
    mutating func appendReserved(_ word: UInt64, length: Int = 8) {
        assert(length <= 8 && count &+ 8 <= capacity, "room was not reserved")
        unsafe memory.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= length
    }

    /// Appends a run of bytes.
    @inline(__always)
    mutating func append(_ source: borrowing Span<UInt8>) {
        let length = source.count
        reserve(length)
        let target = unsafe memory + count
        unsafe source.withUnsafeBufferPointer { bytes in
            if let start = bytes.baseAddress { unsafe target.copyMemory(from: start, byteCount: length) }
        }
        count &+= length
    }

    /// Appends a short run of bytes for which the caller has reserved room, without a call.
    @inline(__always)
    mutating func appendReserved(_ source: borrowing Span<UInt8>) {
        let length = source.count
        guard length >= 8 else { return appendReserved(source.lastWord(at: 0), length: length) }
        let end = count &+ length
        var index = 0
        while length &- index > 8 {
            appendReserved(source.word(at: index))
            index &+= 8
        }
        // The last word overlaps the one before, and where it does, they agree.
        count = end &- 8
        appendReserved(source.word(at: length &- 8))
    }

    /// Appends a short run of bytes for which the caller has reserved room, from a source with ``slack`` bytes behind
    /// it.
    @inline(__always)
    mutating func appendReserved(_ source: borrowing Span<UInt8>, from start: Int, length: Int) {
        assert(start &+ length &+ Self.slack <= source.count, "the source has no room behind the run")
        let end = count &+ length
        var index = start
        repeat {
            appendReserved(source.word(at: index))
            index &+= 8
        } while count < end
        count = end
    }

    /// Appends the text of a literal.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        unsafe (memory + count).copyMemory(from: text.utf8Start, byteCount: length)
        count &+= length
    }

    /// A copy of the bytes, in an array of exactly their size.
    func array() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            if let start = target.baseAddress {
                unsafe UnsafeMutableRawPointer(start).copyMemory(from: memory, byteCount: count)
            }
            initialized = count
        }
    }
}
