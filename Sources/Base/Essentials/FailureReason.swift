extension Error {
    /// Why a file or folder could not be had, as a sentence: Foundation's `localizedDescription` is not among the
    /// essentials.
    package var reason: String {
        let cause =
            switch self {
            case let error as CocoaError: error.cause
            case let error as POSIXError: unsafe String(cString: strerror(error.code.rawValue))
            default: String(describing: self)
            }
        return "The operation could not be completed. \(cause)"
    }
}

extension CocoaError {
    fileprivate var cause: String {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "The file doesn’t exist."
        case .fileReadNoPermission, .fileWriteNoPermission: "You don’t have permission."
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: "The file name is invalid."
        case .fileReadCorruptFile: "The file isn’t in the correct format."
        case .fileReadInapplicableStringEncoding, .fileWriteInapplicableStringEncoding:
            "The specified text encoding isn’t applicable."
        case .fileReadUnsupportedScheme, .fileWriteUnsupportedScheme: "The specified URL type isn’t supported."
        case .fileReadTooLarge: "The item is too large."
        case .fileReadUnknownStringEncoding: "The text encoding of the contents couldn’t be determined."
        case .fileWriteFileExists: "A file with the same name already exists."
        case .fileWriteOutOfSpace: "There isn’t enough space."
        case .fileWriteVolumeReadOnly: "The volume is read only."
        default: "(NSCocoaErrorDomain error \(code.rawValue).)"
        }
    }
}
