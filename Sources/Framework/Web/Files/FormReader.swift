package import SwiftletHTTP

/// Reads a form as it arrives. Used by one task.
package final class FormReader {
    private var parser: MultipartParser
    private var chunks: RequestBody.AsyncIterator
    /// The number of the part whose data comes next; nil between parts.
    private var current: Int?
    private var partCount = 0

    package init(_ body: RequestBody, _ contentType: MediaType) throws(MultipartError) {
        parser = try MultipartParser(contentType)
        chunks = body.makeAsyncIterator()
    }

    /// The next part, whatever was read of the one before; nil at the end of the form, when all of it was valid.
    package func nextPart() async throws -> (head: MultipartHead, number: Int)? {
        while let event = try await next() {
            guard case .part(let head) = event else { continue }
            partCount += 1
            current = partCount
            return (head, partCount)
        }
        return nil
    }

    /// Some data of the part; nil at its end, or if another part has been asked for.
    package func data(of number: Int) async throws -> [UInt8]? {
        guard number == current, let event = try await next() else { return nil }
        if case .data(let bytes) = event { return bytes }
        current = nil
        return nil
    }

    private func next() async throws -> MultipartParser.Event? {
        while true {
            if let event = try parser.next() { return event }
            guard let chunk = try await chunks.next() else {
                try parser.finish()
                return nil
            }
            parser.feed(chunk)
        }
    }
}
