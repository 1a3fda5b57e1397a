import Foundation

extension DecodingError {
    /// What is wrong and where, in one line: `Data corrupted at 'data[0].createdAt': 'soon' is not a date`.
    public var explanation: String {
        switch self {
        case .dataCorrupted(let context):
            "Data corrupted at '\(context.path())': \(context.debugDescription)"
        case .keyNotFound(let key, let context):
            "Key missing at '\(context.path(to: key))': \(context.debugDescription)"
        case .valueNotFound(let type, let context):
            "Value missing at '\(context.path())': expected \(type), found null"
        case .typeMismatch(let type, let context):
            "Type mismatch at '\(context.path())': expected \(type). \(context.debugDescription)"
        @unknown default:
            "\(self)"
        }
    }
}

extension DecodingError.Context {
    /// `data[0].createdAt`; `the top level` for an empty path.
    fileprivate func path(to key: (any CodingKey)? = nil) -> String {
        let path = (codingPath + [key].compactMap(\.self)).reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return path.isEmpty ? "the top level" : path
    }
}

/// What is wrong with an answer and where, in one line: ``Swift/DecodingError/explanation``, or an error's own words.
public func detailedDecodingError(_ error: any Error) -> String {
    switch error {
    case let error as DecodingError: error.explanation
    case APIError.decoding(let explanation): explanation
    default: error.localizedDescription
    }
}
