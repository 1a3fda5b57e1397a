import ArgumentParser
import SwiftletEssentials

struct StorageSyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Make a folder of the server as one of this machine, or the other way round.",
        discussion: """
            Files with another size or content (MD5) are copied; with --delete, what the source does not have goes, \
            unless the source has nothing at all. Hidden files and links below the folder are left out.

            Examples:
              swiftlet storage sync ./pictures storage://pictures
              swiftlet storage sync --delete storage://pictures ./pictures
            """
    )

    @Argument(help: "A folder, or storage://bucket/folder.")
    var source: StorageLocation

    @Argument(help: "A folder, or storage://bucket/folder.")
    var target: StorageLocation

    @Flag(help: "Remove what the source does not have.")
    var delete = false

    @Flag(help: "Say what would be done, and do nothing.")
    var dryRun = false

    @OptionGroup var server: StorageServerOptions

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let client = try server.client()
            switch (source, target) {
            case (.local(let path), .object(let bucket, let prefix)):
                try await up(client, LocalTree(path), bucket, Self.folder(prefix))
            case (.object(let bucket, let prefix), .local(let path)):
                try await down(client, bucket, Self.folder(prefix), LocalTree(path))
            default: throw ValidationError("One of the two must be storage://bucket/folder, the other a folder.")
            }
        }
    }

    private func up(_ client: StorageAPI, _ tree: LocalTree, _ bucket: String, _ prefix: String) async throws {
        let (files, links) = try tree.listing()
        let there = try await remote(client, bucket, prefix)
        try refuseToEmpty(there.keys, from: files.keys)
        for (name, size) in files.sorted(by: { $0.key < $1.key }) {
            if try isSame(there[name], tree.path(name), size) { continue }
            Terminal.say("\(dryRun ? "would upload" : "upload") \(TextTable.harmless(prefix + name))")
            if !dryRun { try await client.upload(tree.path(name), bucket, prefix + name) }
        }
        // What the listing leaves out is not known to be gone: hidden names, and what lies behind links.
        let known = there.keys.filter { name in
            LocalTree.isSafe(name) && !links.contains { name == $0 || name.hasPrefix("\($0)/") }
        }
        let extra = delete ? known.filter { files[$0] == nil }.sorted() : []
        for name in extra { Terminal.say("\(dryRun ? "would remove" : "remove") \(TextTable.harmless(prefix + name))") }
        if !dryRun { _ = try await client.remove(bucket, extra.map { prefix + $0 }) }
    }

    private func down(_ client: StorageAPI, _ bucket: String, _ prefix: String, _ tree: LocalTree) async throws {
        let there = try await remote(client, bucket, prefix)
        let files = try tree.exists ? tree.listing().files : [:]
        try refuseToEmpty(files.keys, from: there.keys)
        for (name, entry) in there.sorted(by: { $0.key < $1.key }) {
            guard LocalTree.isSafe(name) else {
                Terminal.warn("\(TextTable.harmless(prefix + name)) is no path of a file here, and is left out")
                continue
            }
            if let size = files[name], try isSame(entry, tree.path(name), size) { continue }
            Terminal.say("\(dryRun ? "would download" : "download") \(TextTable.harmless(name))")
            if !dryRun { try await client.download(bucket, prefix + name, to: tree.path(name)) }
        }
        for name in files.keys.sorted() where delete && there[name] == nil {
            Terminal.say("\(dryRun ? "would remove" : "remove") \(TextTable.harmless(name))")
            if !dryRun { try FileManager.default.removeItem(atPath: tree.path(name)) }
        }
    }

    /// A source without a file is rather a mistake, or a disk that is not mounted.
    private func refuseToEmpty(_ target: some Collection<String>, from source: some Collection<String>) throws {
        guard delete, source.isEmpty, !target.isEmpty else { return }
        throw CommandFailure("the source has no file, and --delete would remove all \(target.count) of the target")
    }

    private func remote(
        _ client: StorageAPI,
        _ bucket: String,
        _ prefix: String
    ) async throws -> [String: StorageAPI.Entry] {
        let entries = try await client.list(bucket, prefix, isRecursive: true)
        return Dictionary(entries.map { (String($0.name.dropFirst(prefix.count)), $0) }) { $1 }
    }

    private func isSame(_ entry: StorageAPI.Entry?, _ path: String, _ size: Int) throws -> Bool {
        guard let entry, entry.size == size, let md5 = entry.md5 else { return false }
        return try StorageAPI.md5(ofFile: path) == md5
    }

    private static func folder(_ prefix: String) -> String {
        prefix.isEmpty || prefix.hasSuffix("/") ? prefix : "\(prefix)/"
    }
}

/// The files below a folder of this machine.
private struct LocalTree {
    private let root: URL

    /// The folder itself may be a link.
    init(_ path: String) { root = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath() }

    var exists: Bool { FileManager.default.fileExists(atPath: root.path) }

    func path(_ name: String) -> String { "\(root.path)/\(name)" }

    /// Sizes by names, in the normal form that names of objects have, and the links, which are not followed. Throws if any
    /// folder cannot be read.
    func listing() throws -> (files: [String: Int], links: [String]) {
        guard exists else { throw CommandFailure("there is no folder \(root.path)") }
        var (files, links): ([String: Int], [String]) = ([:], [])
        let all = try FileTree(root.path, skipsHidden: true).files { path, error in
            throw CommandFailure("\(path) cannot be read: \(error.reason)")
        }
        for file in all {
            if file.isLink {
                links.append(file.name)
            } else {
                files[file.name] = file.size
            }
        }
        return (files, links)
    }

    /// Whether it leads to no other folder.
    static func isSafe(_ name: String) -> Bool {
        name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { segment in
            !segment.isEmpty && !segment.hasPrefix(".") && !segment.utf8.contains(0)
        }
    }
}
