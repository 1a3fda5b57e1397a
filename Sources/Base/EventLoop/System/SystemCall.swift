#if os(Linux)
import SwiftletCLinux
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Every system call of this target, with `EINTR` and `EAGAIN` handled.
package enum SystemCall {
    /// Repeats the call while a signal interrupts it.
    @inline(__always)
    private static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
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

    /// Not repeated after `EINTR`: Linux has closed the descriptor by then, and its number may be in use again.
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

    /// Writes some of the bytes. A connection closed by the peer is an error, not a SIGPIPE.
    package static func write(_ descriptor: borrowing FileDescriptor, _ bytes: borrowing Span<UInt8>) -> TransferResult
    {
        guard !bytes.isEmpty else { return .bytes(0) }
        let number = descriptor.number
        return unsafe bytes.withUnsafeBytes { bytes in
            transferred(retrying { unsafe send(number, bytes.baseAddress, bytes.count, sendFlags) }, "send")
        }
    }

    // MARK: - Sockets

    /// A non-blocking stream socket of the address's family, closed on exec.
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

    private static func setOption(
        _ descriptor: borrowing FileDescriptor,
        level: CInt,
        _ option: CInt,
        to value: CInt
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe setsockopt(descriptor.number, level, option, &value, size) == 0 else { throw .last("setsockopt") }
    }

    /// Lets a port be bound while connections of its previous owner are in TIME_WAIT.
    /// Another descriptor of the same open file, which child processes do not inherit.
    package static func duplicate(_ descriptor: CInt) throws(SystemError) -> FileDescriptor {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("fcntl") }
        return FileDescriptor(adopting: copy)
    }

    package static func reuseAddress(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
        try setOption(descriptor, level: SOL_SOCKET, SO_REUSEADDR, to: 1)
    }

    /// Lets several sockets of one user listen on one port; the kernel distributes the connections among them.
    package static func reusePort(_ descriptor: borrowing FileDescriptor) throws(SystemError) {
        try setOption(descriptor, level: SOL_SOCKET, SO_REUSEPORT, to: 1)
    }

    /// Whether a socket on `::` leaves IPv4 to other sockets.
    package static func setIPv6Only(_ descriptor: borrowing FileDescriptor, _ isOnly: Bool) throws(SystemError) {
        try setOption(descriptor, level: CInt(IPPROTO_IPV6), IPV6_V6ONLY, to: isOnly ? 1 : 0)
    }

    /// Switches Nagle's algorithm off: small writes are sent at once.
    package static func disableDelay(_ descriptor: borrowing FileDescriptor) {
        // Best effort: only a socket that is being torn down refuses.
        try? setOption(descriptor, level: CInt(IPPROTO_TCP), TCP_NODELAY, to: 1)
    }

    /// How much the kernel takes of what it cannot send yet. By itself it takes up to four megabytes of each connection
    /// whose client does not read.
    package static let maximumUnsentBytes = 131_072

    /// Limits what the kernel takes to ``maximumUnsentBytes``. What is on its way does not count, so that the speed of a
    /// client that reads stays as it is (tcp(7), TCP_NOTSENT_LOWAT).
    package static func limitUnsentBytes(_ descriptor: borrowing FileDescriptor) {
        // Best effort: an older kernel does not know it.
        try? setOption(descriptor, level: CInt(IPPROTO_TCP), TCP_NOTSENT_LOWAT, to: CInt(maximumUnsentBytes))
    }

    /// Whether the peer has not acknowledged everything that was sent (tcp(7), SIOCOUTQ, which is TIOCOUTQ).
    package static func hasUnacknowledgedBytes(_ descriptor: CInt) -> Bool {
        var count: CInt = 0
        #if os(Linux)
        return unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 && count > 0
        #else
        var size = socklen_t(MemoryLayout<CInt>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 && count > 0
        #endif
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
        // An interrupted connect goes on in the background, like one in progress.
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

    /// Closes the sending direction; what the peer still sends can be read.
    package static func finishWriting(_ descriptor: borrowing FileDescriptor) {
        _ = shutdown(descriptor.number, CInt(SHUT_WR))
    }

    /// Lets `close` discard what the peer has not received, and reset the connection.
    package static func resetOnClose(_ descriptor: CInt) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// For libraries that use `write`: a connection closed by the peer is an error from now on, in the whole process.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
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

    /// What the descriptor is ready for at this moment.
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

    /// The current time; ``EventLoop/now`` is the start of the current turn.
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

    /// The number of events written. An interrupted wait counts as one without events.
    static func epollWait(
        _ epoll: borrowing FileDescriptor,
        _ buffer: UnsafeMutableBufferPointer<epoll_event>,
        milliseconds: CInt
    ) -> Int {
        guard let start = buffer.baseAddress else { preconditionFailure("a buffer without room for an event") }
        let count = unsafe epoll_wait(epoll.number, start, CInt(buffer.count), milliseconds)
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
        // Fails only when the counter is full, and then the loop is awake.
        _ = retrying { eventfd_write(number, 1) }
    }
    #endif
}

// The wrappers above have the names of these calls, so these need others.
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
