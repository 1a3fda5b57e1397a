/// What `dev --watch` does next, as a value: the program that performs it is ``WatchedServer``.
struct WatchState: Equatable {
    enum Event: Equatable {
        case changed(SourceTree.Change)
        case buildEnded(status: Int32, output: String)
        case serverEnded(status: Int32, output: String)
        case stop
    }

    enum Action: Equatable {
        case build
        case cancelBuild
        case startServer
        case stopServer
        case tell(String)
        case end
    }

    let canBuild: Bool
    private(set) var isBuilding = false
    private(set) var hasServer = false
    /// What is answered while there is no server.
    private(set) var failure: String?
    private var isStopping = false
    /// The server is asked to end for another one to come.
    private var isRestarting = false

    init(canBuild: Bool) { self.canBuild = canBuild }

    mutating func begin() -> [Action] {
        hasServer = true
        return [.startServer]
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .changed(.code) where canBuild:
            guard !isStopping else { return [] }
            let former = isBuilding
            isBuilding = true
            return (former ? [.cancelBuild] : []) + [.tell("building"), .build]
        case .changed(.code):
            return [.tell("Swift has changed: this program is not in a package's .build, build it yourself")]
        case .changed(.data):
            // A build that runs ends with a start anyway.
            return isBuilding || isStopping ? [] : restart()
        case .buildEnded(let status, let output):
            isBuilding = false
            if status == 0 { return isStopping ? [] : restart() }
            failure = ProgramBuild.faults(in: output)
            isRestarting = false
            return [.tell(output)] + (hasServer ? [.stopServer] : [])
        case .serverEnded(let status, let output):
            hasServer = false
            if isStopping { return [.end] }
            if isRestarting {
                isRestarting = false
                hasServer = true
                return [.startServer]
            }
            if failure == nil { failure = "The server has ended with status \(status).\n\(output)" }
            return []
        case .stop:
            let wasBuilding = isBuilding
            (isStopping, isBuilding) = (true, false)
            return (wasBuilding ? [.cancelBuild] : []) + (hasServer ? [.stopServer] : [.end])
        }
    }

    private mutating func restart() -> [Action] {
        failure = nil
        guard hasServer else {
            hasServer = true
            return [.tell("starting"), .startServer]
        }
        guard !isRestarting else { return [] }
        isRestarting = true
        return [.tell("restarting"), .stopServer]
    }
}
