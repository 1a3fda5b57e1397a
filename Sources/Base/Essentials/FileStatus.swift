/// What the system says of a file, or of the one that a link leads to.
///
/// Foundation's `attributesOfItem` has these numbers in types that only its whole can read as `Int`.
package struct FileStatus: Sendable {
    package let size: Int
    package let owner: uid_t

    /// nil where there is none, or it may not be looked at.
    package init?(atPath path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        size = Int(status.st_size)
        owner = status.st_uid
    }
}
