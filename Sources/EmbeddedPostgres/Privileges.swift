import Foundation

/// Whom the server programs run as: PostgreSQL refuses to be root.
struct Privileges: Sendable {
    /// nil: the caller's own user will do.
    let user: User?

    struct User: Sendable {
        let name: String
        let id: uid_t
        let group: gid_t
    }

    static func choose() throws(EmbeddedPostgresError) -> Privileges {
        guard geteuid() == 0 else { return Privileges(user: nil) }
        for name in ["postgres", "nobody"] {
            guard let entry = unsafe getpwnam(name) else { continue }
            let user = unsafe User(name: name, id: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
            let privileges = Privileges(user: user)
            if user.id != 0, privileges.dropping(["/bin/true"]) != nil { return privileges }
        }
        throw .noUnprivilegedUser
    }

    /// The same command line, run as the unprivileged user; nil when the machine has no program for that.
    func dropping(_ command: [String]) -> [String]? {
        guard let user else { return command }
        let folders = ["/usr/bin", "/usr/sbin", "/bin", "/sbin"]
        func find(_ program: String) -> String? {
            folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
        }
        if let setpriv = find("setpriv") {
            return [setpriv, "--reuid=\(user.id)", "--regid=\(user.group)", "--clear-groups", "--"] + command
        }
        if let runuser = find("runuser") { return [runuser, "-u", user.name, "--"] + command }
        return nil
    }

    @discardableResult
    func run(_ command: [String]) throws(EmbeddedPostgresError) -> String {
        guard let command = dropping(command) else { throw .noUnprivilegedUser }
        return try ChildProcess.check(command)
    }

    /// Hands one file or folder to the unprivileged user.
    func own(_ path: String) throws(EmbeddedPostgresError) {
        guard let user else { return }
        guard unsafe chown(path, user.id, user.group) == 0 else {
            throw .folderUnusable(folder: path, reason: "its owner cannot be changed to \(user.name)")
        }
    }

    /// Whether the user may enter `folder`: a clone below /root is closed to others.
    func canEnter(_ folder: String) -> Bool {
        guard let command = dropping(["/bin/sh", "-c", "cd \"$1\"", "sh", folder]) else { return false }
        return (try? ChildProcess.run(command))?.status == 0
    }
}
