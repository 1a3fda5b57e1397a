import Glibc

/// Runs a line of shell and returns what it prints, errors too. Blocks.
func shell(_ command: String) -> String {
    guard let pipe = unsafe popen("{ \(command)\n} 2>&1", "r") else { return "" }
    var output: [UInt8] = []
    var byte = unsafe fgetc(pipe)
    while byte != EOF {
        output.append(UInt8(truncatingIfNeeded: byte))
        byte = unsafe fgetc(pipe)
    }
    unsafe pclose(pipe)
    return String(decoding: output, as: UTF8.self)
}

/// A folder with self-signed certificates, which goes away with its last user.
final class Certificates: Sendable {
    let folder: String

    init() {
        folder = shell("printf %s \"$(mktemp -d)\"")
    }

    deinit {
        _ = shell("rm -r \(folder)")
    }

    var certificateFile: String { "\(folder)/certificate.pem" }
    var keyFile: String { "\(folder)/key.pem" }

    /// Makes a new pair in the place of the old one.
    func make(for name: String, days: Int = 2) {
        let request = "\(folder)/request.pem"
        _ = shell(
            """
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=\(name) \
                -keyout \(keyFile) -out \(request) &&
            openssl x509 -req -in \(request) -signkey \(keyFile) -days \(days) -out \(certificateFile)
            """
        )
    }
}
