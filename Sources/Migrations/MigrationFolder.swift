import Foundation

/// The folder that holds the migrations.
package struct MigrationFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// `MIGRATIONS_DIR` if set, else `migrations` in the working directory, else next to the executable (a container).
    package static func find(
        _ configured: String?,
        workingDirectory: String = FileManager.default.currentDirectoryPath,
        program: String? = Bundle.main.executablePath
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

    /// All files, sorted by number. Files of other types are ignored; an SQL file with an invalid name is an error,
    /// because it would silently never run.
    package func load() throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for name in try names().filter({ $0.hasSuffix(".sql") }) {
            let text: String
            do {
                text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
            } catch {
                throw .unreadable(file: name, reason: error.localizedDescription)
            }
            files.append(try MigrationFile(fileName: name, text: text))
        }
        files.sort { $0.number < $1.number }
        for (first, second) in zip(files, files.dropFirst()) where first.number == second.number {
            throw .duplicateNumber(first.name, second.name)
        }
        return files
    }

    /// Creates an empty file with the next number and returns its path.
    package func create(_ name: String) throws(MigrationError) -> String {
        let words = name.lowercased().replacing("-", with: "_").replacing(" ", with: "_")
        let isName = words.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        guard isName, words.contains(where: { $0.isLetter }) else { throw .badName(name) }
        let number = String((try load().last?.number ?? 0) + 1)
        let padding = String(repeating: "0", count: max(0, 4 - number.count))
        let file = "\(path)/\(padding)\(number)_\(words).sql"
        let text = """
            -- One transaction; forward only. Never edit this file once it was applied anywhere: write another one.

            """
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .withoutOverwriting)
        } catch {
            throw .unreadable(file: file, reason: error.localizedDescription)
        }
        return file
    }

    private func names() throws(MigrationError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw .unreadable(file: path, reason: error.localizedDescription)
        }
    }
}
