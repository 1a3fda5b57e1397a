public import SwiftletWeb

extension Context {
    /// Where files are kept: the folder or the S3 bucket that the server is configured with.
    ///
    /// It knows no tenants, so put the tenant's id into each key: ``ObjectKey``. Throws 503 `STORAGE_UNAVAILABLE` if the
    /// server has no storage.
    public var storage: ObjectStorage {
        get throws(APIError) {
            guard let storage = self[StorageKey.self] else {
                throw StorageError.unavailable("none is configured").apiError
            }
            return storage
        }
    }
}

/// Where functions keep files; nil for nowhere.
public enum StorageKey: ContextKey {
    public static let defaultValue: ObjectStorage? = nil
}

extension StorageError: APIErrorConvertible {
    public var apiError: APIError {
        switch self {
        case .tooLarge: .contentTooLarge
        // The reason names our storage, so it is for the log.
        case .unavailable, .damaged: .unavailable("STORAGE_UNAVAILABLE", "The storage of files is not available")
        }
    }
}
