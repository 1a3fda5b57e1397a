import SwiftletEventLoop
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RegistrationTests {
    @Test(arguments: PollerKind.allCases)
    func `reports unread bytes again and again`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        pair.send("abc")
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            var text = ""
            handler.onReady = { readiness in
                text += pair.receiveOne()
                if text.count == 3 {
                    loop.deregister(registration)
                    finish("\(text) \(readiness == .read)")
                }
            }
        }
        #expect(heard == "abc true")
    }

    @Test(arguments: PollerKind.allCases)
    func `reports writability only while it is of interest`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            var calls: [String] = []
            handler.onReady = { readiness in
                if readiness.contains(.write) {
                    calls.append("write")
                    loop.update(registration, .read)
                    _ = loop.schedule(after: .milliseconds(20)) { pair.send("x") }
                }
                if readiness.contains(.read) {
                    calls.append("read")
                    loop.deregister(registration)
                    finish(calls.joined(separator: " "))
                }
            }
            _ = loop.schedule(after: .milliseconds(20)) {
                calls.append("asked")
                loop.update(registration, .write)
            }
        }
        #expect(heard == "asked write read")
    }

    @Test(arguments: PollerKind.allCases)
    func `an end of stream is something to read`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        pair.closeFar()
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            handler.onReady = { readiness in
                loop.deregister(registration)
                finish("\(readiness.contains(.read)) \(pair.receiveOne().isEmpty)")
            }
        }
        #expect(heard == "true true")
    }

    /// Bytes and a reset are there before the loop looks, and the handler takes one byte at a time.
    @Test(arguments: PollerKind.allCases)
    func `a reset is reported after the bytes that came before it`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        pair.send("abc")
        pair.closeFar()
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            shutdown(pair.near, CInt(SHUT_WR))
            var calls = 0
            handler.onReady = { readiness in
                calls += 1
                if readiness.contains(.read), !pair.receiveOne().isEmpty { return }
                loop.deregister(registration)
                finish("\(calls) \(readiness.contains(.hangup))")
            }
        }
        #expect(heard == "4 true")
    }

    @Test(arguments: PollerKind.allCases)
    func `a hangup is reported although earlier bytes are unread`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        pair.send("abc")
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            handler.onReady = { readiness in
                if readiness.contains(.hangup) {
                    loop.deregister(registration)
                    return finish("hangup")
                }
                shutdown(pair.near, CInt(SHUT_WR))
                pair.closeFar()
            }
        }
        #expect(heard == "hangup")
    }

    /// The peer first stops sending, like one that closes, and its reset comes when nothing is of interest.
    @Test(arguments: PollerKind.allCases)
    func `a hangup is reported although writing became of interest only after it`(poller: PollerKind) async throws {
        let pair = try SocketPair()
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            var isOver = false
            handler.onReady = { readiness in
                guard readiness.contains(.hangup) else {
                    loop.update(registration, [])
                    _ = loop.schedule(after: .milliseconds(20)) {
                        shutdown(pair.near, CInt(SHUT_WR))
                        // Lets the hangup reach the poller's own thread, if it has one.
                        usleep(20000)
                        if !isOver { loop.update(registration, .write) }
                    }
                    return
                }
                guard !isOver else { return }
                isOver = true
                loop.deregister(registration)
                finish("hangup")
            }
            _ = loop.schedule(after: .seconds(5)) {
                guard !isOver else { return }
                isOver = true
                loop.deregister(registration)
                finish("nothing")
            }
            pair.finishFar()
        }
        #expect(heard == "hangup")
    }

    /// Both sockets are ready in one turn, and whichever is told first takes the other off the loop.
    @Test(arguments: PollerKind.allCases)
    func `nothing is delivered after a deregistration, not even fetched events`(poller: PollerKind) async throws {
        let pairs = [try SocketPair(), try SocketPair()]
        let heard = try await withLoop(poller) { loop, finish in
            var registrations: [Registration] = []
            var calls = 0
            for pair in pairs {
                let handler = Handler()
                handler.onReady = { _ in
                    calls += 1
                    for registration in registrations { loop.deregister(registration) }
                    _ = loop.schedule(after: .milliseconds(20)) { finish("\(calls)") }
                }
                registrations.append(try loop.register(pair.near, .read, handler))
            }
            for pair in pairs { pair.send("x") }
            // Lets both become ready before the loop looks.
            usleep(20000)
        }
        #expect(heard == "1")
    }

    /// The first socket's handler closes the second one, whose number a new socket takes at once.
    @Test(arguments: PollerKind.allCases)
    func `an event for a closed descriptor does not reach the one that has its number now`(
        poller: PollerKind
    ) async throws {
        let pairs = [try SocketPair(), try SocketPair()]
        let heard = try await withLoop(poller) { loop, finish in
            var registrations: [Registration] = []
            var isFirst = true
            var wrongCalls = 0
            for index in 0..<2 {
                let handler = Handler()
                handler.onReady = { _ in
                    guard isFirst else { return }
                    isFirst = false
                    let other = 1 - index
                    loop.deregister(registrations[index])
                    loop.deregister(registrations[other])
                    let number = pairs[other].near
                    let newcomer = try? SocketPair()
                    guard let newcomer, dup2(newcomer.near, number) == number else { return finish("no number") }
                    let successor = Handler()
                    successor.onReady = { _ in wrongCalls += 1 }
                    guard let registration = try? loop.register(number, .read, successor) else {
                        return finish("not registered")
                    }
                    _ = loop.schedule(after: .milliseconds(20)) {
                        loop.deregister(registration)
                        finish("\(wrongCalls) \(newcomer.near > 0)")
                    }
                }
                registrations.append(try loop.register(pairs[index].near, .read, handler))
            }
            for pair in pairs { pair.send("x") }
            usleep(20000)
        }
        #expect(heard == "0 true")
    }

    /// A signal handler that sleeps stops the thread while it waits, as a paused machine does.
    @Test(arguments: PollerKind.allCases)
    func `what came while the thread stood still is delivered before the timers that have passed`(
        poller: PollerKind
    ) async throws {
        signal(SIGUSR2) { _ in usleep(1_000_000) }
        defer { signal(SIGUSR2, SIG_DFL) }
        let pair = try SocketPair()
        let heard = try await withLoop(poller) { loop, finish in
            let handler = Handler()
            let registration = try loop.register(pair.near, .read, handler)
            var calls: [String] = []
            func note(_ call: String) {
                calls.append(call)
                if calls.count == 2 { finish(calls.joined(separator: " ")) }
            }
            handler.onReady = { _ in
                loop.deregister(registration)
                note("read")
            }
            _ = loop.schedule(after: .milliseconds(800)) { note("timer") }
            var signals = sigset_t()
            unsafe sigaddset(&signals, SIGUSR2)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            let thread = pthread_self()
            Task.detached {
                try await Task.sleep(for: .milliseconds(50))
                pthread_kill(thread, SIGUSR2)
                try await Task.sleep(for: .milliseconds(50))
                pair.send("x")
            }
        }
        #expect(heard == "read timer")
    }

    @Test
    func `an invalid descriptor is refused`() async throws {
        let heard = try await withLoop(.default) { loop, finish in
            do throws(SystemError) {
                _ = try loop.register(-1, .read, Handler())
                finish("registered")
            } catch {
                finish("\(error)")
            }
        }
        #expect(heard == "epoll_ctl: Bad file descriptor")
    }
}

/// Runs the body on a new loop and waits until it calls `finish`.
private func withLoop(
    _ poller: PollerKind,
    _ body: @escaping @Sendable (EventLoop, @escaping (String) -> Void) throws -> Void
) async throws -> String {
    let loop = try EventLoop.start(index: 0, poller: poller)
    let result = await withCheckedContinuation { continuation in
        loop.execute {
            do {
                try body(loop) { continuation.resume(returning: $0) }
            } catch {
                continuation.resume(returning: "\(error)")
            }
        }
    }
    loop.stop()
    return result
}

private final class Handler: ReadinessHandler {
    var onReady: (Readiness) -> Void = { _ in }

    func ready(_ readiness: Readiness) {
        onReady(readiness)
    }
}

/// Two connected sockets, the near one for the loop.
private final class SocketPair: Sendable {
    let near: CInt
    private let far: CInt

    init() throws {
        var numbers: [CInt] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        near = numbers[0]
        far = numbers[1]
        _ = fcntl(near, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(near)
        closeFar()
    }

    func send(_ text: String) {
        _ = unsafe Glibc.send(far, text, text.utf8.count, CInt(MSG_NOSIGNAL))
    }

    func receiveOne() -> String {
        var byte: UInt8 = 0
        return unsafe recv(near, &byte, 1, 0) == 1 ? String(UnicodeScalar(byte)) : ""
    }

    func finishFar() {
        shutdown(far, CInt(SHUT_WR))
    }

    func closeFar() {
        shutdown(far, CInt(SHUT_RDWR))
    }
}
