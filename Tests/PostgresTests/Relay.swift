import Dispatch
import Foundation
import Synchronization

/// Stands between the pool and PostgreSQL on a unix socket, and misbehaves when told.
final class Relay: Sendable {
    enum Manner {
        case forwarding
        /// Forwards what the client sends after a fifth of a second, like a server that is far away.
        case delaying
        /// Takes nothing from the client.
        case holding
        /// Takes a part of what the client sends and closes the way back, but goes on listening.
        case halfClosed
    }

    /// What connects through the relay.
    let url: String
    private let folder: String
    private let upstream: String
    private let listener: CInt
    private let manner = Mutex(Manner.forwarding)

    /// Before the server whose socket is in `host`, for one of its databases.
    init(before host: String, database: String) throws {
        folder = "/tmp/swiftlet-relay-\(UUID().uuidString.prefix(8))"
        upstream = "\(host)/.s.PGSQL.5432"
        url = "host=\(folder) user=postgres dbname=\(database)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.withAddress(of: "\(folder)/.s.PGSQL.5432", { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 16) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
        let accepting = Thread { [self] in acceptAll() }
        accepting.start()
    }

    func behave(_ new: Manner) { manner.withLock { $0 = new } }

    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            guard unsafe Self.withAddress(of: upstream, { unsafe connect(server, $0, $1) }) == 0 else { return }
            let isAnswered = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while Self.copy(server, client) {}
                shutdown(client, CInt(SHUT_RDWR))
                isAnswered.signal()
            }
            Thread.detachNewThread { [self] in
                passOn(client, server)
                shutdown(server, CInt(SHUT_RDWR))
                isAnswered.wait()
                close(client)
                close(server)
            }
        }
    }

    private func passOn(_ client: CInt, _ server: CInt) {
        while true {
            let current = manner.withLock { $0 }
            switch current {
            case .forwarding, .delaying:
                var waiting = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&waiting, 1, 10) > 0, manner.withLock({ $0 == current }) else { continue }
                if current == .delaying { usleep(200_000) }
                guard Self.copy(client, server) else { return }
            case .holding: usleep(10_000)
            case .halfClosed:
                // Enough for a client that sends to be told that it can go on.
                var bytes = [UInt8](repeating: 0, count: 200_000)
                _ = unsafe recv(client, &bytes, bytes.count, CInt(MSG_DONTWAIT))
                shutdown(client, CInt(SHUT_WR))
                sleep(1)
                return
            }
        }
    }

    /// Passes on what there is; false at the end.
    private static func copy(_ source: CInt, _ target: CInt) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(source, &bytes, bytes.count, 0)
        guard count > 0 else { return false }
        var sent = 0
        while sent < count {
            let step = unsafe bytes[sent..<count].withUnsafeBytes { rest in
                unsafe send(target, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
            }
            guard step > 0 else { return false }
            sent += step
        }
        return true
    }

    private static func withAddress(of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt) -> CInt {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
