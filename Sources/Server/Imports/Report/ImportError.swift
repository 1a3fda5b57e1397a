/// Why a project is not imported, or not yet. For operators; holds no secret.
package enum ImportError: Error, Equatable, Sendable {
    /// The text says what is wrong, and the remedy.
    case refused(String)
    /// Each of them has to go before anything is done.
    case obstacles([String])
    /// The files of these objects could not be had: everything else is there but the triggers on files.
    case filesMissing(Int)
}

extension ImportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let reason): reason
        case .obstacles(let list): list.joined(separator: "\n")
        case .filesMissing(let count):
            "\(count) objects are not imported, as their files could not be had; all else is there but the triggers on files: run the same command again for them, or with --accept-missing-files to do without"
        }
    }
}
