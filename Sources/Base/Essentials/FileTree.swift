/// The files below a folder and in its folders. Links are among them, and are not followed.
///
/// Foundation's enumerator is not among the essentials.
package struct FileTree: Sendable {
    package struct File: Sendable {
        /// Its path below the folder.
        package let name: String
        package let isLink: Bool
        package let size: Int
        package let modified: Date
    }

    private let root: String
    private let skipsHidden: Bool

    /// `skipsHidden`: leaves out what begins with a dot, and what is below it.
    package init(_ root: String, skipsHidden: Bool = false) { (self.root, self.skipsHidden) = (root, skipsHidden) }

    /// Folders that cannot be read are left out.
    package func files() -> [File] { files { _, _ in } }

    /// `onFault` is told of folders that cannot be read, or whose files may not be looked at: what is left of them is left
    /// out, unless it throws.
    package func files(onFault: (_ path: String, any Error) throws -> Void) rethrows -> [File] {
        var files: [File] = []
        var folders = [""]
        while let folder = folders.popLast() {
            let path = folder.isEmpty ? root : "\(root)/\(folder)"
            do {
                for name in try FileManager.default.contentsOfDirectory(atPath: path)
                where !skipsHidden || !name.hasPrefix(".") {
                    let name = folder.isEmpty ? name : "\(folder)/\(name)"
                    var status = stat()
                    guard unsafe lstat("\(root)/\(name)", &status) == 0 else {
                        let cause = POSIXError.last
                        // What is gone meanwhile is not there; what may not be looked at may be.
                        if cause.code == .ENOENT { continue }
                        throw cause
                    }
                    switch status.st_mode & S_IFMT {
                    case S_IFDIR: folders.append(name)
                    case S_IFREG, S_IFLNK: files.append(File(name, status))
                    default: break
                    }
                }
            } catch {
                try onFault(path, error)
            }
        }
        return files
    }
}

extension FileTree.File {
    fileprivate init(_ name: String, _ status: stat) {
        self.name = name
        isLink = status.st_mode & S_IFMT == S_IFLNK
        size = Int(status.st_size)
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        modified = Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }
}

extension FileManager {
    /// Whether there is a folder, or a link to one.
    package func folderExists(atPath path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
