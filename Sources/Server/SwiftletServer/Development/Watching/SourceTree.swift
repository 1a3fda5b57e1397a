import SwiftletEssentials

/// The files of a project whose change is worth a restart, as they are at one moment.
struct SourceTree: Equatable {
    enum Change: Equatable {
        /// The program has to be built again.
        case code
        /// Starting it again is enough: SQL, `.env`.
        case data
    }

    fileprivate struct Stamp: Equatable {
        let seconds: Int
        let nanoseconds: Int
        let bytes: Int
    }

    private var files: [String: Stamp] = [:]
    /// All folders that are looked at.
    private(set) var folders: [String] = []

    private static let code = ["swift", "c", "h", "resolved", "modulemap"]

    init(_ root: String) {
        var waiting = [root]
        while let folder = waiting.popLast() {
            folders.append(folder)
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)"
                var status = stat()
                // Of a link, what it leads to; no folder behind one, which may lead back.
                guard unsafe lstat(path, &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    if !name.hasPrefix("."), name != "node_modules" { waiting.append(path) }
                } else if Self.change(of: name) != nil {
                    files[path] = Stamp(status)
                }
            }
        }
    }

    /// The greatest of the changes; nil if nothing has changed.
    func change(since former: SourceTree) -> Change? {
        var change: Change?
        for path in Set(files.keys).union(former.files.keys) where files[path] != former.files[path] {
            if Self.change(of: URL(fileURLWithPath: path).lastPathComponent) == .code { return .code }
            change = .data
        }
        return change
    }

    static func change(of name: String) -> Change? {
        if name == ".env" || name.hasSuffix(".sql") { return .data }
        guard !name.hasPrefix("."), let dot = name.lastIndex(of: ".") else { return nil }
        return code.contains(String(name[name.index(after: dot)...])) ? .code : nil
    }
}

extension SourceTree.Stamp {
    fileprivate init(_ status: stat) {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        self.init(seconds: time.tv_sec, nanoseconds: time.tv_nsec, bytes: Int(status.st_size))
    }
}
