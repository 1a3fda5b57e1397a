import Glibc
import SwiftletTesting
import Testing

@testable import SwiftletEventLoop
@testable import SwiftletHTTPServer

@Suite(.hangLimit) struct TransportTests {
    @Test func `a flood of key updates is read a little at a time`() throws {
        let pair = try Pair()
        for _ in 0..<100 { #expect(pair.client.updateKeys(requestsUpdate: false)) }
        #expect(pair.client.send("hello"))
        #expect(pair.read() == .wouldBlock)
        #expect(pair.hasUnreadBytes)
        #expect(pair.transport.readInterest(isBlocked: false) == .read)

        var reads = 1
        while pair.read() == .wouldBlock, reads < 1000 { reads += 1 }
        #expect(reads > 5)
        #expect(!pair.hasUnreadBytes)
    }

    @Test func `a read that waits for writability is not woken by input`() throws {
        let pair = try Pair()
        var updates = 0
        while !pair.transport.readWantsWrite, updates < 20000 {
            #expect(pair.client.updateKeys(requestsUpdate: true))
            #expect(pair.read() == .wouldBlock)
            updates += 1
        }
        #expect(pair.transport.readInterest(isBlocked: false) == .write)
        #expect(pair.transport.readInterest(isBlocked: true) == .write)

        while pair.client.receive() == [], pair.transport.readWantsWrite { _ = pair.read() }
        #expect(pair.transport.readInterest(isBlocked: false) == .read)
    }

    @Test func `after its close_notify it only waits for input`() throws {
        let pair = try Pair()
        while !pair.transport.readWantsWrite {
            #expect(pair.client.updateKeys(requestsUpdate: true))
            #expect(pair.read() == .wouldBlock)
        }
        pair.transport.finishWriting()
        #expect(pair.transport.readInterest(isBlocked: false) == .read)
    }

    @Test func `a session is not read while output is pending`() throws {
        let pair = try Pair()
        #expect(pair.transport.readInterest(isBlocked: true) == [])
        let address = try SocketAddress.resolve(host: "127.0.0.1", port: 1)[0]
        let plain = ClientSocket(try SystemCall.makeSocket(for: address), nil)
        #expect(plain.readInterest(isBlocked: true) == .read)
        #expect(plain.readInterest(isBlocked: false) == .read)
    }
}

/// Both ends of a TLS connection after the handshake.
private final class Pair {
    let transport: ClientSocket
    let client: TLSClient

    init() throws {
        let certificates = Certificates()
        certificates.make(for: "test")
        let context = try TLSContext.load(
            TLSConfiguration(certificateFile: certificates.certificateFile, keyFile: certificates.keyFile)
        )
        var ends: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0)
        let descriptor = FileDescriptor(adopting: ends[0])
        guard let session = context.makeSession(over: descriptor) else { throw TLSError.library(reason: "SSL_new") }
        transport = ClientSocket(descriptor, session)
        client = try TLSClient(over: FileDescriptor(adopting: ends[1]))
        var isDone = false
        for _ in 0..<10 where !isDone {
            let clientIsDone = client.continueHandshake()
            if case .completed = transport.continueHandshake() { isDone = clientIsDone }
        }
        try #require(isDone)
    }

    var hasUnreadBytes: Bool { SystemCall.readiness(of: transport.number).contains(.read) }

    func read() -> TransferResult {
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 65536)
        defer { unsafe buffer.deallocate() }
        return unsafe transport.read(into: buffer, limit: 65536)
    }
}
