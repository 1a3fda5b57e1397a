/// The data that one transfer sends and receives in libcurl's callbacks. Used by one thread at a time.
final class Transfer {
    private let maximumBodyBytes: Int
    private let upload: [UInt8]
    private var sentBytes = 0
    private var headBytes = 0

    private(set) var headers: [(name: String, value: String)] = []
    private(set) var body: [UInt8] = []
    private(set) var isTooLarge = false

    private static let maximumHeadBytes = 65_536

    init(maximumBodyBytes: Int, upload: [UInt8] = []) {
        self.maximumBodyBytes = maximumBodyBytes
        self.upload = upload
    }

    /// Takes a part of the body. False ends the transfer.
    func receive(body bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= maximumBodyBytes else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: bytes)
        return true
    }

    /// Takes one line of a head with its line end. A status line begins a new head, which replaces that of an interim
    /// or redirecting response. False ends the transfer.
    func receive(headerLine bytes: UnsafeRawBufferPointer) -> Bool {
        headBytes += bytes.count
        guard headBytes <= Self.maximumHeadBytes else {
            isTooLarge = true
            return false
        }
        let line = unsafe String(decoding: bytes, as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            headers = []
        } else if let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = line[line.utf8.index(after: colon)...]
            headers.append((String(line[..<colon]), Self.trimmed(value)))
        }
        return true
    }

    /// Copies the next bytes to send and returns their number; 0 at the end.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, upload.count - sentBytes)
        unsafe upload.withUnsafeBytes { bytes in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sentBytes..<sentBytes + count]))
        }
        sentBytes += count
        return count
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        var bytes = text.utf8[...]
        while let first = bytes.first, isBlank(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }
}
