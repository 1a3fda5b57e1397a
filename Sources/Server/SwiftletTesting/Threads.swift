import Glibc

/// Runs blocking code on its own thread, because a pool of threads can deadlock.
package func onThread(_ body: @escaping @Sendable () -> Void) {
    let box = unsafe Unmanaged.passRetained(Box(body: body)).toOpaque()
    var thread = pthread_t()
    let code = unsafe pthread_create(
        &thread,
        nil,
        { argument in
            guard let argument = unsafe argument else { return nil }
            unsafe Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
            return nil
        },
        box
    )
    precondition(code == 0, "no thread")
    pthread_detach(thread)
}

private final class Box: Sendable {
    let body: @Sendable () -> Void

    init(body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}

/// Runs blocking code on its own thread and waits for its result. It stays in the task of the caller, so that an issue
/// recorded there is one of the caller's test.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withTaskExecutorPreference(ThreadForEachJob()) { body() }
}

private final class ThreadForEachJob: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        onThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Blocks the calling thread.
package func pause(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    unsafe nanosleep(&time, nil)
}
