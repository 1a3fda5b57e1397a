import SwiftletHTTP
import SwiftletJSON

/// What a client says of a bucket. Members that it leaves out are nil; `.some(nil)` lifts a limit.
struct BucketFields {
    var isPublic: Bool?
    var fileSizeLimit: Int??
    var allowedTypes: [String]??

    /// `largest` is what the server itself allows.
    init(_ body: JSONObject, largest: Int) throws(FilesError) {
        if let value = body["public"], !value.isNull { isPublic = try Self.flag(value) }
        if let value = body["file_size_limit"] {
            if value.isNull {
                fileSizeLimit = .some(nil)
            } else {
                let limit = try ByteCount(value).bytes
                guard limit <= largest else { throw .tooLarge }
                fileSizeLimit = .some(limit)
            }
        }
        if let value = body["allowed_mime_types"] { allowedTypes = .some(try Self.types(value)) }
    }

    var isEmpty: Bool { isPublic == nil && fileSizeLimit == nil && allowedTypes == nil }

    private static func flag(_ value: JSONValue) throws(FilesError) -> Bool {
        switch value {
        case .bool(let flag): return flag
        case "true": return true
        case "false": return false
        default: throw .badRequest("body/public must be boolean")
        }
    }

    private static func types(_ value: JSONValue) throws(FilesError) -> [String]? {
        if value.isNull { return nil }
        guard let types = value.array, types.count <= 1000 else {
            throw .badRequest("body/allowed_mime_types must be array")
        }
        var texts: [String] = []
        for type in types {
            guard let text = type.string, MediaType(text) != nil else {
                throw .badType("mime type \(type.string ?? "") is not supported")
            }
            texts.append(text)
        }
        return texts
    }
}
