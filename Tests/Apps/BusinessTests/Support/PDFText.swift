import Foundation

/// What a reader would copy from a PDF.
enum PDFText {
    static func of(_ pdf: [UInt8]) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).pdf")
        try Data(pdf).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let reader = Process()
        reader.executableURL = URL(filePath: "/usr/bin/pdftotext")
        reader.arguments = ["-layout", file.path, "-"]
        let output = Pipe()
        reader.standardOutput = output
        try reader.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        reader.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}
