import Foundation
import SwiftletEssentials
import Testing

@Suite struct OpenFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "swiftlet-file-\(UUID().uuidString)").path

    @Test func `reads what was written, from anywhere`() throws {
        #expect(OpenFile(forReadingAtPath: path) == nil)
        #expect(OpenFile(forWritingAtPath: path) == nil)
        #expect(FileManager.default.createFile(atPath: path, contents: Data("old text".utf8)))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let writing = try #require(OpenFile(forWritingAtPath: path))
        try writing.write(contentsOf: "new".utf8)
        try writing.synchronize()
        try writing.close()
        let reading = try #require(OpenFile(forReadingAtPath: path))
        #expect(try reading.read(upToCount: 3) == Array("new".utf8))
        #expect(try reading.readToEnd() == Array(" text".utf8))
        #expect(try reading.read(upToCount: 3) == [])
        #expect(try reading.seekToEnd() == 8)
        try reading.seek(toOffset: 4)
        #expect(try reading.read(upToCount: 100) == Array("text".utf8))
        #expect(throws: POSIXError.self) { try reading.write(contentsOf: [1]) }
    }

    @Test func `is closed once`() throws {
        let file = try #require(OpenFile(forReadingAtPath: "/dev/null"))
        let descriptor = file.descriptor
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
        try file.close()
        try file.close()
        #expect(file.descriptor == -1)
        #expect(throws: POSIXError.self) { try file.read(upToCount: 1) }
    }

    @Test func `a pipe gives what it has, or waits until all is there`() throws {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        let (reading, writing) = (OpenFile(owning: ends[0]), OpenFile(owning: ends[1]))
        try writing.write(contentsOf: [1, 2])
        #expect(try reading.readAvailable(upToCount: 10) == [1, 2])
        try writing.write(contentsOf: [3])
        try writing.write(contentsOf: [4])
        try writing.close()
        #expect(try reading.read(upToCount: 10) == [3, 4])
        #expect(try reading.readAvailable(upToCount: 10) == [])
    }
}
