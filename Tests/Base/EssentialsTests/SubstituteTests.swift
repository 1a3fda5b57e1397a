import Foundation
import SwiftletEssentials
import Testing

/// What stands in for parts of Foundation that are not among the essentials, beside Foundation itself.
@Suite struct SubstituteTests {
    private static let folder = FileManager.default.temporaryDirectory.path

    @Test(
        arguments: [
            { try FileManager.default.contentsOfDirectory(atPath: "/nowhere") },
            { try String(contentsOfFile: "/nowhere", encoding: .utf8) },
            { try String(contentsOfFile: folder, encoding: .utf8) },
            { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) },
            { try FileManager.default.moveItem(atPath: "/nowhere", toPath: "/elsewhere") },
            { try Data().write(to: URL(fileURLWithPath: "/proc/nowhere")) },
            { throw POSIXError(.ENOSPC) },
            { throw CocoaError(.fileWriteNoPermission) },
            { throw CocoaError(.fileReadCorruptFile) },
            { throw CocoaError(.fileWriteVolumeReadOnly) },
            { throw CocoaError(.fileReadUnknown) },
        ] as [@Sendable () throws -> Any]
    )
    func `reasons are Foundation's`(fail: @Sendable () throws -> Any) throws {
        let error = try #require(throws: (any Error).self) { try fail() }
        #expect(error.reason == error.localizedDescription)
    }

    @Test(arguments: ["", " \t\r\n", "a", " a b\r\n", "\u{A0}a\u{2028}\u{3000}", "\n\u{85}\u{301}a"])
    func `white space is cut off as by Foundation`(text: String) {
        #expect(text.trimmed == text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Beyond the first plane, Foundation composes letters and marks that Unicode leaves apart: U+10041 with U+0301.
    @Test func `every character of the first plane has Foundation's normal form C, alone and with a mark`() {
        for value in UInt32(0x80)...0xFFFF {
            // Foundation knows no newer ones.
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 15 else { continue }
            for text in [String(scalar), "\(scalar)\u{301}\u{323}"] {
                let isEqual = text.inNormalFormC.utf8.elementsEqual(text.precomposedStringWithCanonicalMapping.utf8)
                #expect(isEqual, "U+\(String(value, radix: 16))")
            }
        }
    }

    @Test func `size and owner are Foundation's`() throws {
        let path = "\(Self.folder)/swiftlet-status-\(UUID().uuidString)"
        try Data(repeating: 1, count: 77).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let status = try #require(FileStatus(atPath: path))
        #expect(status.size == 77)
        #expect(attributes[.size] as? Int == status.size)
        #expect((attributes[.ownerAccountID] as? Int).map(uid_t.init) == status.owner)
        #expect(FileStatus(atPath: "/nowhere") == nil)
    }

    @Test func `the program's file is Foundation's`() {
        #expect(ProgramFile.path == Bundle.main.executablePath)
    }
}
