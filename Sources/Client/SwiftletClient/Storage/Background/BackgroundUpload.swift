public import Foundation

/// One file that goes up while the app sleeps, or is not there at all.
public struct BackgroundUpload: Codable, Sendable, Hashable, Identifiable {
    /// The server's name for it, and that of the system's task.
    public let id: String
    public let bucket: String
    public let path: String
    /// Must stay as it is until the end.
    public let file: URL
    /// In bytes.
    public let size: Int64
    let isUpsert: Bool
    /// Stands in for a session, whose token would end on the way.
    var token: String
    /// Where the part begins that was sent last.
    var offset: Int64
    /// How often a part was sent without anything of it arriving.
    var failures: Int

    public enum Outcome: Sendable {
        case finished(BackgroundUpload)
        case failed(BackgroundUpload, APIError)
    }

    static func size(of file: URL) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// What the server says when the last byte has come, but the file may not be there.
    static func refusal(_ status: Int?) -> APIError? {
        guard let status else { return nil }
        switch status {
        case 403: return .forbidden
        case 409: return .conflict
        case 400, 413, 415: return .refused(APIError.Refusal(status: status))
        default: return nil
        }
    }
}
