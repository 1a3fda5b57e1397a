import ArgumentParser
import SwiftletEssentials
import SwiftletJSON

struct StorageCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp",
        abstract: "Copy a file to or from the server, or from one name to another there.",
        discussion: """
            What has the name is replaced. A target that ends with a slash, or is a bucket or a folder, takes the \
            file's own name.

            Examples:
              swiftlet storage cp ./cat.png storage://pictures/cats/
              swiftlet storage cp storage://pictures/cats/cat.png .
            """
    )

    @Argument(help: "A path, or storage://bucket/name.")
    var source: StorageLocation

    @Argument(help: "A path, or storage://bucket/name.")
    var target: StorageLocation

    @OptionGroup var server: StorageServerOptions

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let client = try server.client()
            switch (source, target) {
            case (.local, .local): throw ValidationError("One of the two must be storage://bucket/name.")
            case (.local(let path), .object(let bucket, let name)):
                let name = Self.named(name, as: path)
                try await client.upload(path, bucket, name)
                Terminal.say("storage://\(bucket)/\(name)")
            case (.object(let bucket, let name), .local(var path)):
                if path.hasSuffix("/") || FileManager.default.folderExists(atPath: path) {
                    path = URL(fileURLWithPath: path).appending(path: Self.named("", as: name)).path
                }
                try await client.download(bucket, name, to: path)
                Terminal.say(path)
            case (.object(let bucket, let name), .object(let other, let newName)):
                let newName = Self.named(newName, as: name)
                let body: JSONObject = [
                    "bucketId": .string(bucket), "sourceKey": .string(name), "destinationBucket": .string(other),
                    "destinationKey": .string(newName),
                ]
                _ = try await client.send(
                    "POST",
                    "object/copy",
                    Array(JSONValue.object(body).description.utf8),
                    headers: [("Content-Type", "application/json"), ("x-upsert", "true")]
                )
                Terminal.say("storage://\(other)/\(newName)")
            }
        }
    }

    private static func named(_ name: String, as path: String) -> String {
        guard name.isEmpty || name.hasSuffix("/") else { return name }
        return name + (path.split(separator: "/").last.map(String.init) ?? path)
    }
}
