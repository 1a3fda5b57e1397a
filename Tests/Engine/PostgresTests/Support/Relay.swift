import Dispatch
import Foundation
import Synchronization

@testable import SwiftletPostgres

/// Stands between the pool, which connects to a unix socket, and PostgreSQL, and misbehaves when told.
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
    private let host: String
    private let port: String
    private let listener: CInt
    private let manner = Mutex(Manner.forwarding)
    /// Connections of an older one are cut off.
    private let generation = Mutex(0)

    /// Before the server and the database of a URL.
    init(before direct: String) throws {
        guard let settings = ConnectionSettings(parsing: direct) else { throw POSIXError(.EINVAL) }
        folder = "/tmp/swiftlet-relay-\(UUID().uuidString.prefix(8))"
        host = settings["host"] ?? "localhost"
        port = settings["port"] ?? "5432"
        let others = settings.pairs.filter { !["host", "hostaddr", "port"].contains($0.keyword) }
        url = others.reduce("host=\(folder)") { "\($0) \($1.keyword)='\($1.value)'" }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        guard unsafe Self.withAddress(of: "\(folder)/.s.PGSQL.5432", { unsafe bind(listener, $0, $1) }) == 0,
            listen(listener, 16) == 0
        else { throw POSIXError(.EADDRNOTAVAIL) }
        // For a pooler, too, which runs as another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(folder)/.s.PGSQL.5432")
        let accepting = Thread { [self] in acceptAll() }
        accepting.start()
    }

    func behave(_ new: Manner) { manner.withLock { $0 = new } }

    /// From now on passes on nothing of the connections that are open, and closes none, like a host that has died.
    func cutOff() { generation.withLock { $0 += 1 } }

    private func isCutOff(_ own: Int) -> Bool { generation.withLock { $0 > own } }

    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            guard let server = connectToServer() else { return }
            let isAnswered = DispatchSemaphore(value: 0)
            let own = generation.withLock { $0 }
            Thread.detachNewThread {
                while Self.copy(server, client) {}
                shutdown(client, CInt(SHUT_RDWR))
                isAnswered.signal()
            }
            Thread.detachNewThread { [self] in
                passOn(client, server, own)
                shutdown(server, CInt(SHUT_RDWR))
                isAnswered.wait()
                close(client)
                close(server)
            }
        }
    }

    private func connectToServer() -> CInt? {
        guard !host.hasPrefix("/") else {
            let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
            let path = "\(host)/.s.PGSQL.\(port)"
            return unsafe Self.withAddress(of: path) { unsafe connect(server, $0, $1) } == 0 ? server : nil
        }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, port, &hints, &list) == 0 else { return nil }
        defer { unsafe freeaddrinfo(list) }
        var next = unsafe list
        while let address = unsafe next {
            let server = unsafe socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
            if unsafe connect(server, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 { return server }
            close(server)
            unsafe next = address.pointee.ai_next
        }
        return nil
    }

    private func passOn(_ client: CInt, _ server: CInt, _ own: Int) {
        while true {
            if isCutOff(own) {
                usleep(10_000)
                continue
            }
            let current = manner.withLock { $0 }
            switch current {
            case .forwarding, .delaying:
                var waiting = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&waiting, 1, 10) > 0 else { continue }
                guard manner.withLock({ $0 == current }), !isCutOff(own) else { continue }
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
