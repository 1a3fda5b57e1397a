import SwiftletHTTP

/// A form with files, as browsers and apps send it.
struct AttachedForm {
    private(set) var bytes: [UInt8] = []

    static let headers: [(Headers.Name, String)] = [(.contentType, "multipart/form-data; boundary=----aBc")]

    /// `name` and `type` as they are to stand in the head.
    mutating func add(file name: String, _ type: String, _ content: [UInt8]) {
        bytes += Array("------aBc\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n".utf8)
        bytes += Array("Content-Type: \(type)\r\n\r\n".utf8) + content + Array("\r\n".utf8)
    }

    mutating func add(field name: String, _ value: String) {
        bytes += Array("------aBc\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
    }

    mutating func end() {
        bytes += Array("------aBc--\r\n".utf8)
    }
}
