package import SwiftletWeb

/// The jobs that the functions of this server declare, by name.
package struct JobRegistry: Sendable {
    private let jobs: [String: DeclaredJob]

    package var names: [String] { jobs.keys.sorted() }
    var recurring: [DeclaredJob] { jobs.values.filter { $0.recurrence != nil } }
    package var isEmpty: Bool { jobs.isEmpty }

    subscript(_ name: String) -> DeclaredJob? { jobs[name] }

    package init(_ functions: [Function]) throws(JobDeclarationError) {
        var jobs: [String: DeclaredJob] = [:]
        for function in functions {
            for case let declaration as any PerformedDeclaration in function.declarations {
                let job = declaration.declared
                let isName = !job.name.isEmpty && job.name.utf8.count <= 100
                let fault =
                    isName ? job.policy.fault ?? job.recurrence?.fault : "its name must have from 1 to 100 characters"
                if let fault { throw JobDeclarationError(job: job.name, function: function.name, fault: fault) }
                guard jobs.updateValue(job, forKey: job.name) == nil else {
                    throw JobDeclarationError(
                        job: job.name,
                        function: function.name,
                        fault: "there is another job of this name: rename one of them"
                    )
                }
            }
        }
        self.jobs = jobs
    }
}

/// A job that cannot be performed as it is declared.
package struct JobDeclarationError: Error, Equatable, CustomStringConvertible {
    let job: String
    let function: String
    let fault: String

    package var description: String { "The job \(job) of the function \(function): \(fault)" }
}
