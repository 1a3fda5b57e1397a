#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The loop of the calling thread, kept in thread-local storage.
enum CurrentLoop {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "no thread-local storage")
        return key
    }()

    /// Not retained: the loop's thread holds the loop while this is set.
    static func set(_ loop: EventLoop?) {
        let pointer = unsafe loop.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        unsafe pthread_setspecific(key, pointer)
    }

    static func get() -> EventLoop? {
        guard let pointer = unsafe pthread_getspecific(key) else { return nil }
        return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    @inline(__always)
    static func isThis(_ loop: EventLoop) -> Bool {
        unsafe pthread_getspecific(key) == Unmanaged.passUnretained(loop).toOpaque()
    }
}
