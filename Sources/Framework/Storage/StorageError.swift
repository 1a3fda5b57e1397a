/// Why an object was not stored or read.
public enum StorageError: Error, Hashable, Sendable {
    /// The chunks were longer than the limit. Nothing is stored.
    case tooLarge
    /// The disk or the other server fails. The reason is for logs, and holds no secret.
    case unavailable(String)
    /// The object ends too early or has changed while it was read.
    case damaged
}

extension StorageError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "the object is larger than allowed"
        case .unavailable(let reason): "the storage is not available: \(reason)"
        case .damaged: "the object has changed while it was read, or is incomplete"
        }
    }
}
