#if os(Linux)
import CLinux
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What came of an attempt to move bytes.
package enum TransferResult: Equatable, Sendable {
    case bytes(Int)
    /// The peer has finished sending (reads only).
    case endOfStream
    case wouldBlock
    case failed(SystemError)
}

/// What came of an attempt to accept a connection.
package enum AcceptResult: ~Copyable {
    case accepted(FileDescriptor, SocketAddress)
    case wouldBlock
    /// The connection died in the queue: try the next one.
    case aborted
    case failed(SystemError)
}

/// Every system call that this target makes, each with its `EINTR` and `EAGAIN` dealt with.
package enum SystemCall {
    /// Runs the call again when a signal interrupted it.
    @inline(__always)
    static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    @inline(__always)
    private static func transferred(_ count: Int, _ call: String) -> TransferResult {
        if count > 0 { return .bytes(count) }
        if count == 0 { return .endOfStream }
        let number = errno
        if number == EAGAIN || number == EWOULDBLOCK { return .wouldBlock }
        return .failed(SystemError(call, number))
    }

    // MARK: - Descriptors

    /// Closes without trying again: after `EINTR` Linux has closed the descriptor, and the number may be in use anew.
    static func close(_ descriptor: CInt) {
        _ = systemClose(descriptor)
    }

    package static func read(
        _ descriptor: borrowing FileDescriptor,
        into buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> TransferResult {
        let number = descriptor.number
        return transferred(retrying { unsafe recv(number, buffer.baseAddress, buffer.count, 0) }, "recv")
    }

    /// Writes some of the bytes; a peer that is gone is an error and not a signal.
    package static func write(_ descriptor: borrowing FileDescriptor, _ bytes: borrowing Span<UInt8>) -> TransferResult
    {
        guard !bytes.isEmpty else { return .bytes(0) }
        let number = descriptor.number
        return unsafe bytes.withUnsafeBytes { bytes in
            transferred(retrying { unsafe send(number, bytes.baseAddress, bytes.count, sendFlags) }, "send")
        }
    }

    package static func openNullDevice() throws(SystemError) -> FileDescriptor {
        let number = retrying { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        guard number >= 0 else { throw .last("open", subject: "/dev/null") }
        return FileDescriptor(adopting: number)
    }

    // MARK: - Sockets

    /// A non-blocking stream socket for addresses of that family, closed on exec.
    package static func makeSocket(for address: SocketAddress) throws(SystemError) -> FileDescriptor {
        #if os(Linux)
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let number = socket(address.family, kind, 0)
        guard number >= 0 else { throw .last("socket") }
        let descriptor = FileDescriptor(adopting: number)
        #if !os(Linux)
        try makeNonBlocking(descriptor)
        #endif
        return descriptor
    }

    package static func setOption(
        _ descriptor: borrowing FileDescriptor,
        level: CInt,
        _ option: CInt,
        to value: CInt
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe setsockopt(descriptor.number, level, option, &value, size) == 0 else { throw .last("setsockopt") }
    }

    /// Lets a port be used again while connections of its last user time out.
    package static func reuseAddress(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
        try setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR, to: 1)
    }

    /// Lets several sockets of one user listen on one port; the kernel spreads the connections over them.
    package static func shareAddress(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
        try setOption(descriptor, level: SOL_SOCKET, SO_REUSEPORT, to: 1)
    }

    /// Whether a socket on `::` is there for IPv4 as well.
    package static func takeIPv4(_ descriptor: borrowing FileDescriptor, _ takes: Bool) throws(SystemError) {
        try setOption(descriptor, level: CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: takes ? 0 : 1)
    }

    package static func disableDelay(_ descriptor: borrowing FileDescriptor) {
        // Best effort: only a socket that is being torn down refuses.
        try? setOption(descriptor, level: CInt(IPPROTO_TCP), TCP_NODELAY, to: 1)
    }

    package static func bind(
        _ descriptor: borrowing FileDescriptor,
        to address: SocketAddress
    ) throws(SystemError) {
        let number = descriptor.number
        let result = unsafe address.withSocketAddress { unsafe systemBind(number, $0, $1) }
        guard result == 0 else { throw .last("bind", subject: address.description) }
    }

    package static func listen(_ descriptor: borrowing FileDescriptor, backlog: CInt) throws(SystemError) {
        guard systemListen(descriptor.number, backlog) == 0 else { throw .last("listen") }
    }

    /// Starts a connection. A refusal may show only later, as an error on the descriptor.
    package static func connect(
        _ descriptor: borrowing FileDescriptor,
        to address: SocketAddress
    ) throws(SystemError) {
        let number = descriptor.number
        let result = unsafe address.withSocketAddress { unsafe systemConnect(number, $0, $1) }
        // An interrupted connect goes on in the background, just as one in progress does.
        guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
            throw .last("connect", subject: address.description)
        }
    }

    package static func accept(_ listener: borrowing FileDescriptor) -> AcceptResult {
        var address = SocketAddress()
        let listener = listener.number
        let number = unsafe address.fill { address, length in
            retrying {
                #if os(Linux)
                unsafe accept4(listener, address, length, CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
                #else
                unsafe Darwin.accept(listener, address, length)
                #endif
            }
        }
        if number >= 0 {
            let descriptor = FileDescriptor(adopting: number)
            #if !os(Linux)
            do throws(SystemError) { try makeNonBlocking(descriptor) } catch { return .failed(error) }
            #endif
            return .accepted(descriptor, address)
        }
        switch errno {
        case EAGAIN, EWOULDBLOCK: return .wouldBlock
        // Linux hands a connection's own network errors to accept; accept(2) says to treat them like EAGAIN.
        case ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH, EPERM:
            return .aborted
        default: return .failed(.last("accept"))
        }
    }

    package static func localAddress(of descriptor: borrowing FileDescriptor) throws(SystemError) -> SocketAddress {
        var address = SocketAddress()
        let number = descriptor.number
        guard unsafe address.fill({ unsafe getsockname(number, $0, $1) }) == 0 else { throw .last("getsockname") }
        return address
    }

    /// Tells the peer that nothing more comes; what it still sends can be read.
    package static func finishWriting(_ descriptor: borrowing FileDescriptor) {
        _ = shutdown(descriptor.number, CInt(SHUT_WR))
    }

    /// For libraries that write by `write`: a peer that is gone becomes an error for the whole process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// The error that is pending on the socket, or 0.
    package static func pendingError(of descriptor: borrowing FileDescriptor) -> CInt {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &value, &size) == 0 else { return errno }
        return value
    }

    #if os(Linux)
    private static let sendFlags = CInt(MSG_NOSIGNAL)
    #else
    // Darwin has no such flag: sockets get SO_NOSIGPIPE when they are made.
    private static let sendFlags: CInt = 0

    private static func makeNonBlocking(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
        let flags = fcntl(descriptor.number, F_GETFL)
        guard flags >= 0, fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor.number, F_SETFD, FD_CLOEXEC) == 0
        else { throw .last("fcntl") }
        try setOption(descriptor, level: SOL_SOCKET, SO_NOSIGPIPE, to: 1)
    }
    #endif

    /// What the kernel would say of the descriptor now.
    static func readiness(of descriptor: CInt) -> Readiness {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
        let count = retrying { unsafe poll(&entry, 1, 0) }
        var readiness = Readiness(rawValue: 0)
        guard count > 0 else { return readiness }
        if entry.revents & Int16(POLLIN) != 0 { readiness.insert(.read) }
        if entry.revents & Int16(POLLOUT) != 0 { readiness.insert(.write) }
        if entry.revents & Int16(POLLHUP) != 0 { readiness.insert(.hangup) }
        if entry.revents & Int16(POLLERR) != 0 { readiness.insert(.error) }
        return readiness
    }

    // MARK: - Clocks

    /// The moment itself; ``EventLoop/now`` is the moment at which the current turn began.
    package static func monotonicTime() -> LoopInstant {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return LoopInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// Whole seconds since 1970.
    static func wallTime() -> Int {
        var time = timespec()
        #if os(Linux)
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        #else
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        #endif
        return Int(time.tv_sec)
    }

    // MARK: - epoll

    #if os(Linux)
    static func makeEpoll() throws(SystemError) -> FileDescriptor {
        let number = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .last("epoll_create1") }
        return FileDescriptor(adopting: number)
    }

    static func epollControl(
        _ epoll: borrowing FileDescriptor,
        _ operation: CInt,
        _ descriptor: CInt,
        _ flags: UInt32,
        _ token: UInt64
    ) throws(SystemError) {
        var event = unsafe epoll_event(events: flags, data: epoll_data_t(u64: token))
        guard unsafe epoll_ctl(epoll.number, operation, descriptor, &event) == 0 else {
            throw .last("epoll_ctl")
        }
    }

    /// How many events were written. An interrupted wait counts as one that found nothing.
    static func epollWait(
        _ epoll: borrowing FileDescriptor,
        _ buffer: UnsafeMutableBufferPointer<epoll_event>,
        milliseconds: CInt
    ) -> Int {
        let count = unsafe epoll_wait(epoll.number, buffer.baseAddress, CInt(buffer.count), milliseconds)
        precondition(count >= 0 || errno == EINTR, "epoll_wait failed")
        return max(0, Int(count))
    }

    static func makeEventCounter() throws(SystemError) -> FileDescriptor {
        let number = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw .last("eventfd") }
        return FileDescriptor(adopting: number)
    }

    static func addToEventCounter(_ counter: borrowing FileDescriptor) {
        let number = counter.number
        // Can fail only by being full, and then the loop is awake.
        _ = retrying { eventfd_write(number, 1) }
    }
    #endif
}

// By other names than the wrappers above have.
#if canImport(Glibc)
private func systemClose(_ descriptor: CInt) -> CInt { Glibc.close(descriptor) }
private func systemListen(_ descriptor: CInt, _ backlog: CInt) -> CInt { Glibc.listen(descriptor, backlog) }
private func systemBind(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe Glibc.bind(descriptor, address, length)
}
private func systemConnect(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe Glibc.connect(descriptor, address, length)
}
#else
private func systemClose(_ descriptor: CInt) -> CInt { Darwin.close(descriptor) }
private func systemListen(_ descriptor: CInt, _ backlog: CInt) -> CInt { Darwin.listen(descriptor, backlog) }
private func systemBind(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe Darwin.bind(descriptor, address, length)
}
private func systemConnect(_ descriptor: CInt, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> CInt {
    unsafe Darwin.connect(descriptor, address, length)
}
#endif
