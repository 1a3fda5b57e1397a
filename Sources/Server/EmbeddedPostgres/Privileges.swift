import SwiftletEssentials

/// The user that the server programs run as, because PostgreSQL refuses to run as root.
struct Privileges: Sendable {
    /// nil means the current user.
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

    /// The command line that runs `command` as the unprivileged user; nil if no program for that is installed.
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

    /// Changes the owner of a file or folder to the unprivileged user.
    func own(_ path: String) throws(EmbeddedPostgresError) {
        guard let user else { return }
        guard unsafe chown(path, user.id, user.group) == 0 else {
            throw .folderUnusable(folder: path, reason: "its owner cannot be changed to \(user.name)")
        }
    }

    /// Who owns `path`, if neither the unprivileged user nor the current one does; nil if there is no such file.
    func otherOwner(of path: String) -> String? {
        guard let owner = FileStatus(atPath: path)?.owner, owner != user?.id, owner != geteuid() else { return nil }
        return Self.name(of: owner) ?? "the user \(owner)"
    }

    private static func name(of owner: uid_t) -> String? {
        guard let entry = unsafe getpwuid(owner) else { return nil }
        return unsafe String(cString: entry.pointee.pw_name)
    }

    /// Whether the user can enter `folder`, unlike one below /root.
    func canEnter(_ folder: String) -> Bool {
        guard let command = dropping(["/bin/sh", "-c", "cd \"$1\"", "sh", folder]) else { return false }
        return (try? ChildProcess.run(command))?.status == 0
    }
}
