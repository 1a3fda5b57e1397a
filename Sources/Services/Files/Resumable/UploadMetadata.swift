import SwiftletEssentials
import SwiftletJSON

/// What `Upload-Metadata` says of an object in the making: keys, each with a value in Base64, separated by commas (TUS
/// 1.0.0, Creation).
struct UploadMetadata {
    /// As the client has sent it.
    let text: String
    private let values: [String: String]

    private static let maximumPairs = 50
    private static let maximumTextBytes = 500

    init(_ text: String) throws(FilesError) {
        self.text = text
        let pairs = text.split(separator: ",")
        guard pairs.count <= Self.maximumPairs else { throw .badRequest("Upload-Metadata has too many pairs") }
        var values: [String: String] = [:]
        for pair in pairs {
            let parts = pair.split(separator: " ")
            guard let key = parts.first, parts.count <= 2, values[String(key)] == nil,
                let data = Data(base64Encoded: parts.count == 2 ? String(parts[1]) : "")
            else { throw .badRequest("Upload-Metadata is not valid") }
            values[String(key)] = String(decoding: data, as: UTF8.self)
        }
        self.values = values
    }

    func required(_ name: String) throws(FilesError) -> String {
        guard let value = values[name], !value.isEmpty else { throw .badRequest("Upload-Metadata lacks \(name)") }
        return value
    }

    func object(_ bucket: String, _ name: ObjectName) -> NewObject {
        var object = NewObject(bucket: bucket, name: name)
        if let type = values["contentType"], !type.isEmpty { object.contentType = type }
        if let cache = values["cacheControl"], !cache.isEmpty {
            // Nothing that a row or a header cannot have, as nobody would hear of it before the last byte.
            let text = String(cache.prefix(Self.maximumTextBytes).filter { $0.asciiValue.map { $0 >= 0x20 } ?? false })
            object.cacheControl = Int(text).map { "max-age=\($0)" } ?? text
        }
        object.userMetadata = values["metadata"].flatMap { try? JSONParser.parse(Array($0.utf8)).object }
        return object
    }
}
