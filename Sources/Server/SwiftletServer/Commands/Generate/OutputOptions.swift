import ArgumentParser
import SwiftletEssentials

/// Where generated text goes.
struct OutputOptions: ParsableArguments {
    @Option(name: [.customShort("o"), .customLong("output")], help: "The file to write; standard output otherwise.")
    var file: String?

    @Flag(help: "Write nothing, and exit with 1 if the file is not up to date.")
    var check = false

    func validate() throws {
        if check, file == nil { throw ValidationError("--check compares with a file: name it with -o") }
    }

    func put(_ text: String) throws {
        // A new line is added where it is printed.
        guard let file else { return Terminal.say(String(text.dropLast())) }
        let old = FileManager.default.contents(atPath: file)
        let new = Data(text.utf8)
        if check {
            guard old == new else { throw CommandFailure("\(file) is out of date") }
            return
        }
        // A file of the same content keeps its time, so that nothing is built again.
        guard old != new else { return }
        do {
            try new.write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw CommandFailure("\(file) cannot be written")
        }
    }
}
