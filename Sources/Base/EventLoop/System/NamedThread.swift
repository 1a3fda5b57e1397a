#if os(Linux)
import SwiftletCLinux
#endif
#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif
import Synchronization

/// A thread of one's own: joined once, or left to itself with this object.
package final class NamedThread: Sendable {
    /// Sendable because a thread's handle is only passed to `pthread_join` and `pthread_detach`, which any thread may call.
    private struct Handle: @unchecked Sendable {
        let thread: pthread_t
    }

    /// nil before the start and after ``join()``.
    private let handle = Mutex<Handle?>(nil)

    package init() {}

    deinit {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        #if os(Linux)
        pthread_detach(handle.thread)
        #else
        unsafe pthread_detach(handle.thread)
        #endif
    }

    package func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let argument = unsafe Unmanaged.passRetained(Body(name: name, run: body))
        #if os(Linux)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let code = unsafe pthread_create(&thread, nil, runBody, argument.toOpaque())
        guard code == 0 else {
            unsafe argument.release()
            throw SystemError("pthread_create", code)
        }
        #if !os(Linux)
        guard let thread else { return }
        #endif
        let started = Handle(thread: thread)
        handle.withLock { $0 = started }
    }

    /// Waits until the thread has ended. A second caller does not wait.
    func join() {
        guard let handle = handle.withLock({ $0.take() }) else { return }
        #if os(Linux)
        pthread_join(handle.thread, nil)
        #else
        unsafe pthread_join(handle.thread, nil)
        #endif
    }
}

private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void

    init(name: String, run: @escaping @Sendable () -> Void) {
        self.name = name
        self.run = run
    }
}

#if os(Linux)
private func runBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
    unsafe pthread_setname_np(pthread_self(), body.name)
    body.run()
    return nil
}
#else
private func runBody(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
    unsafe pthread_setname_np(body.name)
    body.run()
    return nil
}
#endif
