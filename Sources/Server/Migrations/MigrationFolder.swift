import SwiftletEssentials

/// The folder that holds the migrations of an app, or a folder for each of several owners: `business/0003_tasks.sql`.
package struct MigrationFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// `MIGRATIONS_DIR` if set, else `migrations` in the working directory, else next to the executable (a container).
    package static func find(
        _ configured: String?,
        workingDirectory: String = FileManager.default.currentDirectoryPath,
        program: String? = ProgramFile.path
    ) throws(MigrationError) -> MigrationFolder {
        var candidates: [String] = []
        if let configured, !configured.isEmpty {
            candidates = [configured]
        } else {
            candidates = ["\(workingDirectory)/migrations"]
            if let program {
                let real = URL(fileURLWithPath: program).resolvingSymlinksInPath()
                candidates.append(real.deletingLastPathComponent().appending(path: "migrations").path)
            }
        }
        for candidate in candidates where (try? FileManager.default.contentsOfDirectory(atPath: candidate)) != nil {
            return MigrationFolder(path: candidate)
        }
        throw .folderNotFound(searched: candidates)
    }

    /// All files by owner, and by number for each. Files of other types are ignored; an SQL file with an invalid name
    /// is an error, because it would silently never run.
    package func load(omitting omitted: Set<String> = []) throws(MigrationError) -> [MigrationFile] {
        var files = try load(path, owner: MigrationFile.application)
        for owner in try owners() where !omitted.contains(owner) { files += try load("\(path)/\(owner)", owner: owner) }
        return files
    }

    /// Whether there are files of this owner.
    package func has(_ owner: String) -> Bool { (try? owners().contains(owner)) == true }

    /// The owners that have a folder.
    private func owners() throws(MigrationError) -> [String] {
        var owners: [String] = []
        for name in try names(in: path) where !name.hasPrefix(".") {
            if FileManager.default.folderExists(atPath: "\(path)/\(name)") { owners.append(name) }
        }
        return owners
    }

    private func load(_ folder: String, owner: String) throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for name in try names(in: folder).filter({ $0.hasSuffix(".sql") }) {
            let text: String
            do {
                text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            } catch {
                throw .unreadable(file: name, reason: error.reason)
            }
            files.append(try MigrationFile(fileName: name, text: text, owner: owner))
        }
        files.sort { $0.number < $1.number }
        for (first, second) in zip(files, files.dropFirst()) where first.number == second.number {
            throw .duplicateNumber(first.name, second.name)
        }
        return files
    }

    /// Creates a file with the next number and returns its path: an empty one, or with `scope` one that makes a table of
    /// that name.
    ///
    /// `owner` is only needed where several have a folder. `known` gives the highest number that the database has for
    /// the owner: a file of that number would be taken for one that was edited.
    package func create(
        _ name: String,
        owner: String? = nil,
        scope: ScopedTable.Scope? = nil,
        known: (_ owner: String) -> Int = { _ in 0 }
    ) throws(MigrationError) -> String {
        let words = name.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
        let isName = words.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard isName, words.contains(where: { $0.isLetter }) else { throw .badName(name) }
        let text = try text(words, scope)
        let owners = try owners()
        let owner = if let owner { owner } else { try onlyOwner() }
        guard owner == MigrationFile.application || owners.contains(owner) else { throw .chooseOwner(owners) }
        let folder = owner == MigrationFile.application ? path : "\(path)/\(owner)"
        let highest = try numbers(in: folder).max() ?? 0
        let number = String(max(highest, known(owner)) + 1)
        let padding = String(repeating: "0", count: max(0, 4 - number.count))
        let file = "\(folder)/\(padding)\(number)_\(words).sql"
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        } catch {
            throw .unreadable(file: file, reason: error.reason)
        }
        return file
    }

    private func text(_ name: String, _ scope: ScopedTable.Scope?) throws(MigrationError) -> String {
        guard let scope else {
            return """
                -- One transaction; forward only. Never edit this file once it was applied anywhere: write another one.

                """
        }
        guard let table = ScopedTable(name, scope) else { throw .badTableName(name) }
        return table.text
    }

    /// The owner of all files that there are; the app if there are none yet.
    private func onlyOwner() throws(MigrationError) -> String {
        let owners = try owners()
        guard let first = owners.first, try numbers(in: path).isEmpty else { return MigrationFile.application }
        guard owners.count == 1 else { throw .chooseOwner(owners) }
        return first
    }

    /// The numbers of the files, also of those that are still empty.
    private func numbers(in folder: String) throws(MigrationError) -> [Int] {
        try names(in: folder).filter { $0.hasSuffix(".sql") }.compactMap { Int($0.prefix { $0.isNumber }) }
    }

    private func names(in folder: String) throws(MigrationError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw .unreadable(file: folder, reason: error.reason)
        }
    }
}
