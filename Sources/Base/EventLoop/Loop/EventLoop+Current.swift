#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The loop of the calling thread, kept in thread-local storage.
extension EventLoop {
    private static let currentKey: pthread_key_t = {
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "no thread-local storage")
        return key
    }()

    /// Not retained: the loop's thread holds the loop while this is set.
    static func setCurrent(_ loop: EventLoop?) {
        let pointer = unsafe loop.map { unsafe UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
        unsafe pthread_setspecific(currentKey, pointer)
    }

    /// The loop whose thread this is.
    package static var current: EventLoop? {
        guard let pointer = unsafe pthread_getspecific(currentKey) else { return nil }
        return unsafe Unmanaged<EventLoop>.fromOpaque(pointer).takeUnretainedValue()
    }

    @inline(__always)
    package var isCurrent: Bool {
        unsafe pthread_getspecific(Self.currentKey) == Unmanaged.passUnretained(self).toOpaque()
    }
}
