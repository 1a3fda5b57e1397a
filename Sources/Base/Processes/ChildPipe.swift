import SwiftletEssentials

/// A pipe whose ends children that are started meanwhile do not hold open.
package struct ChildPipe: ~Copyable {
    package let reading: CInt
    package let writing: CInt
    private var isReadingOpen = true
    private var isWritingOpen = true

    /// Throws `POSIXError` without free descriptors.
    package init() throws {
        var ends: [CInt] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        if isReadingOpen { close(reading) }
        if isWritingOpen { close(writing) }
    }

    package mutating func closeReading() {
        if isReadingOpen { close(reading) }
        isReadingOpen = false
    }

    package mutating func closeWriting() {
        if isWritingOpen { close(writing) }
        isWritingOpen = false
    }
}
